import { Kind, OperationTypeNode, parse, type OperationDefinitionNode } from 'graphql';
import { allSamples, sampleSets, type SampleSet } from '../../src/seed/demo-data.ts';
import { createGateway } from '../../src/faces/graphql/schema.ts';
import { demoNow, startGateway } from '../harness.ts';

const operationsOf = ({ document }: SampleSet): readonly OperationDefinitionNode[] =>
  parse(document).definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);

const sets = sampleSets(demoNow);
const all = allSamples(demoNow);
const queriesAndMutations = (of: readonly SampleSet[]) =>
  of.flatMap((set) =>
    operationsOf(set)
      .filter(({ operation }) => operation !== OperationTypeNode.SUBSCRIPTION)
      .map(({ name }) => ({ ...set, operationName: name?.value })),
  );

describe('the sample operations', () => {
  test('are one for each root field', () => {
    const shown = operationsOf(all).flatMap(({ selectionSet }) =>
      selectionSet.selections.map((one) => one.kind === Kind.FIELD && one.name.value),
    );
    const { schema } = createGateway();
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(
      (type) => Object.keys(type?.getFields() ?? {}),
    );
    expect(shown.sort()).toEqual(roots.sort());
  });

  test.each([...sets, all].map((set) => [set.name, set] as const))(
    'have a value for each variable, which no other takes, and no more: %s',
    (_name, set) => {
      const taken = operationsOf(set).flatMap(({ variableDefinitions = [] }) =>
        variableDefinitions.map(({ variable }) => variable.name.value),
      );
      expect(Object.keys(set.variables).sort()).toEqual(taken.sort());
    },
  );

  test.each([
    ['one after the other', queriesAndMutations(sets)],
    ['the other way around, what is deleted first', queriesAndMutations(sets).toReversed()],
    ['as one document', queriesAndMutations([all])],
  ])('each run on the demo data: %s', async (_order, samples) => {
    const gateway = await startGateway();
    for (const { document, variables, operationName } of samples) {
      const { errors, warnings } = await gateway.ask(document, variables, { operationName });
      expect([operationName, errors, warnings]).toEqual([operationName, undefined, undefined]);
    }
    await gateway.close();
  });
});
