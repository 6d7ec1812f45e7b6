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
import { tokenOf } from './gateway.js';

const count = 10_000;
const clients = 16;
const maxMs = 400;

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
const scalar = fc.oneof(
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
function valueOf(type, depth = 0) {
  if (isNonNullType(type)) return valueOf(type.ofType, depth);
  if (isListType(type))
    return fc.oneof(
      { weight: 5, arbitrary: fc.array(valueOf(type.ofType, depth + 1), { maxLength: 3 }) },
      scalar,
    );
  if (isEnumType(type))
    return fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...type.getValues().map(({ name }) => name)) },
      scalar,
    );
  if (!isInputObjectType(type)) return scalar;
  if (depth > 4) return fc.constant({});
  const fields = Object.values(type.getFields());
  return fc
    .subarray(fields, { maxLength: Math.min(5, fields.length) })
    .chain((subset) =>
      fc.record(Object.fromEntries(subset.map((field) => [field.name, valueOf(field.type, depth + 1)]))),
    );
}

/** Creates an arbitrary for a selection of a type. */
function selectionOf(type, depth = 0) {
  const named = getNamedType(type);
  if (!isObjectType(named)) return fc.constant(isCompositeType(named) ? '{ __typename }' : '');
  const fields = Object.values(named.getFields()).filter(
    (field) => field.args.length === 0 && (depth < 3 || !isCompositeType(getNamedType(field.type))),
  );
  if (fields.length === 0) return fc.constant('{ __typename }');
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(6, fields.length) })
    .chain((subset) =>
      fc
        .tuple(
          ...subset.map((field) =>
            selectionOf(field.type, depth + 1).map((inner) => `${field.name} ${inner}`),
          ),
        )
        .map((parts) => `{ ${parts.join(' ')} }`),
    );
}

function requestOf(schema) {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ].flatMap(([kind, type]) => Object.values(type?.getFields() ?? {}).map((field) => ({ kind, field })));
  return fc.constantFrom(...roots).chain(({ kind, field }) => {
    const args = fc
      .subarray([...field.args])
      .map((subset) => field.args.filter((arg) => isNonNullType(arg.type) || subset.includes(arg)));
    return args.chain((used) =>
      fc
        .record({
          variables: fc.record(Object.fromEntries(used.map((arg) => [arg.name, valueOf(arg.type)]))),
          selection: selectionOf(field.type),
        })
        .map(({ variables, selection }) => {
          const declared = used.map(({ name, type }) => `$${name}: ${type}`).join(', ');
          const passed = used.map(({ name }) => `${name}: $${name}`).join(', ');
          return {
            query: `${kind}${declared && ` (${declared})`} { ${field.name}${passed && `(${passed})`} ${selection} }`,
            variables,
          };
        }),
    );
  });
}

export async function randomChecks({ start, schema }) {
  const requests = fc.sample(requestOf(schema), { numRuns: count, seed: 42 });
  const gateway = await start({ env: { RATE_LIMIT: 'off' }, seed: demoData(Date.now()) });
  const token = await tokenOf('alice@example.com');
  const statuses = new Map();
  let slowestMs = 0;
  let firstFault;
  let next = 0;
  const client = async () => {
    while (next < requests.length) {
      const { query, variables } = requests[next++];
      const { status, ms } = await gateway.ask(query, variables, { token });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      slowestMs = Math.max(slowestMs, ms);
      if (status === 0 || status >= 500)
        firstFault ??= JSON.stringify({ status, query, variables }).slice(0, 400);
    }
  };
  await gateway.stall();
  await Promise.all(Array.from({ length: clients }, client));
  await gateway.stop();
  const statusCounts = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, times]) => `${status}: ${times}`)
    .join(', ');
  return {
    row: 'random',
    attack: `${count} requests made from the schema`,
    criterion: `no 5xx, none above ${maxMs} ms`,
    figure: `${statusCounts}; slowest ${slowestMs} ms${firstFault ? `; ${firstFault}` : ''}`,
    held: !firstFault && slowestMs <= maxMs,
  };
}
