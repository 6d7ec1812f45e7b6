import { Kind, OperationTypeNode, parse, type OperationDefinitionNode } from 'graphql';
import { combineSampleSets, createSampleSets, type SampleSet } from '../../src/seed/demo-data.ts';
import { createGatewaySchema } from '../../src/faces/graphql/schema.ts';
import { demoNow, startGateway } from '../harness.ts';

const operationsOf = ({ document }: SampleSet): readonly OperationDefinitionNode[] =>
  parse(document).definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);

const sampleSets = createSampleSets(demoNow);
const combinedSet = combineSampleSets(demoNow);
const queriesAndMutations = (sampleList: readonly SampleSet[]) =>
  sampleList.flatMap((set) =>
    operationsOf(set)
      .filter(({ operation }) => operation !== OperationTypeNode.SUBSCRIPTION)
      .map(({ name }) => ({ ...set, operationName: name?.value })),
  );

describe('the sample operations', () => {
  test('cover each root field once', () => {
    const fieldNames = operationsOf(combinedSet).flatMap(({ selectionSet }) =>
      selectionSet.selections.map((definition) => definition.kind === Kind.FIELD && definition.name.value),
    );
    const { schema } = createGatewaySchema();
    const rootFieldNames = [
      schema.getQueryType(),
      schema.getMutationType(),
      schema.getSubscriptionType(),
    ].flatMap((type) => Object.keys(type?.getFields() ?? {}));
    expect(fieldNames.sort()).toEqual(rootFieldNames.sort());
  });

  test.each([...sampleSets, combinedSet].map((set) => [set.name, set] as const))(
    'have exactly one value for each variable: %s',
    (_name, set) => {
      const variableNames = operationsOf(set).flatMap(({ variableDefinitions = [] }) =>
        variableDefinitions.map(({ variable }) => variable.name.value),
      );
      expect(Object.keys(set.variables).sort()).toEqual(variableNames.sort());
    },
  );

  test.each([
    ['one after the other', queriesAndMutations(sampleSets)],
    [
      'in reverse order, with deletions first',
      // No channel exists at the start.
      queriesAndMutations(sampleSets)
        .toReversed()
        .filter(({ operationName }) => operationName !== 'StopChannel'),
    ],
    ['as one document', queriesAndMutations([combinedSet])],
  ])('each run on the demo data: %s', async (_order, samples) => {
    const gateway = await startGateway({ CHANNELS: 'on', CALENDAR_FEEDS: 'on' });
    for (const { document, variables, operationName } of samples) {
      const { errors, warnings } = await gateway.ask(document, variables, { operationName });
      expect([operationName, errors, warnings]).toEqual([operationName, undefined, undefined]);
    }
    await gateway.close();
  });
});
