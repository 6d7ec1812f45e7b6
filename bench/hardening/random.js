// Random requests from the schema: names and types are valid, values are often odd.
import fc from 'fast-check';
import {
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { demoData } from '../../dist/seed/demo-data.js';
import { signToken, withGateway } from './gateway.js';

const requestCount = 10_000;
const concurrency = 16;
const maxResponseMs = 400;
/** Lists, enums and inputs have a valid form five times as often as an odd one. */
const validWeight = 5;
const maxInputDepth = 4;
const maxSelectionDepth = 3;

const oddStrings = [
  '',
  'x',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  '2026-12-01',
  '2026-12-01T10:00:00Z',
  'primary',
  'teammeeting',
  'demo-photos',
  'RRULE:FREQ=DAILY',
  'a@b.example',
  '"',
  '\\',
  'x'.repeat(3000),
];
/** Values of scalar fields, and odd values of others. Most fit a string. */
const oddValues = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...oddStrings) },
  { weight: 2, arbitrary: fc.string({ maxLength: 40, unit: 'binary' }) },
  { weight: 2, arbitrary: fc.constantFrom(0, 1, -1, 250, 2 ** 31, 1e400, 0.5) },
  { weight: 2, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('a', '__proto__', '', 'goog-x'), fc.constantFrom('x', null, 1), {
      maxKeys: 3,
    }),
  },
);

/** Creates an arbitrary for an input type; most of its values are valid. */
function createInputArbitrary(type, depth = 0) {
  if (isNonNullType(type)) return createInputArbitrary(type.ofType, depth);
  if (isListType(type))
    return fc.oneof(
      {
        weight: validWeight,
        arbitrary: fc.array(createInputArbitrary(type.ofType, depth + 1), { maxLength: 3 }),
      },
      oddValues,
    );
  if (isEnumType(type))
    return fc.oneof(
      { weight: validWeight, arbitrary: fc.constantFrom(...type.getValues().map(({ name }) => name)) },
      oddValues,
    );
  if (!isInputObjectType(type)) return oddValues;
  if (depth > maxInputDepth) return fc.constant({});
  const fields = Object.values(type.getFields());
  return fc
    .subarray(fields, { maxLength: Math.min(5, fields.length) })
    .chain((subset) =>
      fc.record(
        Object.fromEntries(subset.map((field) => [field.name, createInputArbitrary(field.type, depth + 1)])),
      ),
    );
}

/** Creates an arbitrary for a selection of a type. */
function createSelectionArbitrary(type, depth = 0) {
  const namedType = getNamedType(type);
  if (!isObjectType(namedType)) return fc.constant(isCompositeType(namedType) ? '{ __typename }' : '');
  const fields = Object.values(namedType.getFields()).filter(
    (field) =>
      field.args.length === 0 && (depth < maxSelectionDepth || !isCompositeType(getNamedType(field.type))),
  );
  if (fields.length === 0) return fc.constant('{ __typename }');
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(6, fields.length) })
    .chain((subset) =>
      fc
        .tuple(
          ...subset.map((field) =>
            createSelectionArbitrary(field.type, depth + 1).map((selection) => `${field.name} ${selection}`),
          ),
        )
        .map((fieldSelections) => `{ ${fieldSelections.join(' ')} }`),
    );
}

/** Creates an arbitrary for an operation with one root field, its arguments and a selection. */
function createOperationArbitrary(schema) {
  const rootFields = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ].flatMap(([kind, type]) => Object.values(type?.getFields() ?? {}).map((field) => ({ kind, field })));
  return fc.constantFrom(...rootFields).chain(({ kind, field }) => {
    const argumentSubsets = fc
      .subarray([...field.args])
      .map((subset) => field.args.filter((arg) => isNonNullType(arg.type) || subset.includes(arg)));
    return argumentSubsets.chain((args) =>
      fc
        .record({
          variables: fc.record(
            Object.fromEntries(args.map((arg) => [arg.name, createInputArbitrary(arg.type)])),
          ),
          selection: createSelectionArbitrary(field.type),
        })
        .map(({ variables, selection }) => {
          const variableDefinitions = args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
          const passedArguments = args.map(({ name }) => `${name}: $${name}`).join(', ');
          return {
            query: `${kind}${variableDefinitions && ` (${variableDefinitions})`} { ${field.name}${passedArguments && `(${passedArguments})`} ${selection} }`,
            variables,
          };
        }),
    );
  });
}

/** Sends random requests and checks that none fails with 5xx or takes too long. */
export const checkRandomRequests = (schema) =>
  withGateway({ env: { RATE_LIMIT: 'off' }, seed: demoData(Date.now()) }, async (gateway) => {
    const requests = fc.sample(createOperationArbitrary(schema), { numRuns: requestCount, seed: 42 });
    const token = await signToken('alice@example.com');
    const countByStatus = new Map();
    let slowestMs = 0;
    let firstFault;
    const remainingRequests = requests.values();
    const sendRemaining = async () => {
      for (const { query, variables } of remainingRequests) {
        const { status, ms } = await gateway.sendGraphql(query, variables, { token });
        countByStatus.set(status, (countByStatus.get(status) ?? 0) + 1);
        slowestMs = Math.max(slowestMs, ms);
        if (status === 0 || status >= 500)
          firstFault ??= JSON.stringify({ status, query, variables }).slice(0, 400);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, sendRemaining));
    const statusCounts = [...countByStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ');
    return {
      attack: `${requestCount} random requests of the schema`,
      criterion: `no 5xx, none above ${maxResponseMs} ms`,
      figure: `${statusCounts}; slowest ${slowestMs} ms${firstFault ? `; ${firstFault}` : ''}`,
      isMet: !firstFault && slowestMs <= maxResponseMs,
    };
  });
