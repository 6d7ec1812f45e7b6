import { parse, execute, buildSchema, Kind, type OperationDefinitionNode } from 'graphql';
import type { FieldSelection, Selected } from '../../src/core/fields/selection.ts';
import { compilePlan } from '../../src/faces/graphql/compiled/plan.ts';
import { run } from '../../src/faces/graphql/compiled/run.ts';
import type { GatewayContext } from '../../src/faces/graphql/context.ts';
import { resolversOf } from '../../src/faces/graphql/root-fields.ts';
import { readTypeDefs } from '../../src/faces/graphql/schema.ts';
import { selectedOf } from '../../src/faces/rest/selected.ts';
import { parseFields } from '../../src/official/partial.ts';
import { pageQuery, query, stream, write, type Operation } from '../../src/operations/operation.ts';
import { RequestContext } from '../../src/operations/context.ts';
import { silentLog } from '../log-lines.ts';
import { schemas } from '../upstream/calendar/upstream.harness.ts';

/** As `a b(c d)`; what is whole is named alone. */
const textOf = ({ whole, fields }: FieldSelection): string =>
  whole
    ? ''
    : `(${[...fields]
        .map(([name, inner]) => name + textOf(inner))
        .sort()
        .join(' ')})`;

const seen: string[] = [];
const see = (selected: Selected | undefined): void => {
  // Asked for twice, it is the same.
  if (selected) expect(selected()).toBe(selected());
  seen.push(selected ? textOf(selected()) : 'nothing');
};
const event = { id: 'one', nodeId: 'two' };
const operations: Readonly<Record<string, Operation>> = {
  event: query(async (_args, _context, selected) => (see(selected), event)),
  events: pageQuery(async (_args, _context, selected) => {
    see(selected);
    const edges = [{ cursor: 'x', node: event }];
    return { edges, hasNextPage: false, hasPreviousPage: false, nextSyncToken: null };
  }),
  patchEvent: write(
    async (_args, _context, selected) => (see(selected), { warnings: [] }),
    () => event,
  ),
  calendarChanged: stream(
    async (_args, _context, selected) => (
      see(selected),
      (async function* () {
        /* nothing */
      })()
    ),
  ),
};
const schema = buildSchema(readTypeDefs().join('\n'));
for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
  for (const [name, operation] of Object.entries(operations)) {
    const field = type?.getFields()[name];
    if (field) Object.assign(field, resolversOf(operation));
  }
}

function contextOf(): GatewayContext {
  const request = { requestId: 'r', viewer: undefined, address: '', log: silentLog, report: { codes: [] } };
  const notes = { add: () => undefined };
  return Object.assign(new RequestContext(request), { notes }) as unknown as GatewayContext;
}

const engines: Readonly<
  Record<string, (document: string, variables: Record<string, unknown>) => Promise<unknown>>
> = {
  library: async (document, variableValues) =>
    execute({ schema, document: parse(document), contextValue: contextOf(), variableValues }),
  'compiled plan': async (text, variables) => {
    const document = parse(text);
    const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    const plan = compilePlan(schema, document, operation as OperationDefinitionNode);
    const roots = plan.rootsFor(variables).map((root) => ({ root, args: root.readArguments(variables) }));
    return run(roots, variables, plan.isMutation, contextOf());
  },
};

describe.each(Object.entries(engines))(
  'what an operation learns of its selection from a %s',
  (_name, engine) => {
    beforeEach(() => void seen.splice(0));
    const one = 'event(calendarId: "a", eventId: "b")';
    it.each<[string, string[], Record<string, unknown>?]>([
      [`{ ${one} { id start { date } start { dateTime } } }`, ['(id start(date dateTime))']],
      [`{ a: ${one} { x: id __typename } b: ${one} { summary } }`, ['(id)', '(summary)']],
      [`{ ${one} { id } ... { ${one} { summary } } }`, ['(id summary)']],
      [
        `{ ${one} { ...F ... on Event { end { date } } } } fragment F on Event { id ...G } fragment G on Event { end { timeZone } }`,
        ['(end(date timeZone) id)'],
      ],
      [
        '{ events(calendarId: "a") { nodes { id } edges { node { summary } } nextSyncToken } }',
        ['(edges(node(summary)) nextSyncToken nodes(id))'],
      ],
      ['mutation { patchEvent(calendarId: "a", eventId: "b", event: {}) { id } }', ['(id)']],
      [
        `query ($x: Boolean!) { ${one} { id summary @include(if: $x) location @skip(if: $x) ... @skip(if: true) { etag } kind @include(if: true) } }`,
        ['(id kind summary)'],
        { x: true },
      ],
      [
        `query ($x: Boolean!) { ${one} { id summary @include(if: $x) location @skip(if: $x) } }`,
        ['(id location)'],
        { x: false },
      ],
    ])('is told by %s', async (document, expected, variables = {}) => {
      await engine(document, variables);
      expect(seen).toEqual(expected);
    });

    it('is told anew for other conditions', async () => {
      const document = `query ($x: Boolean!, $y: Boolean, $z: String, $w: [Boolean]) { ${one} { id summary @include(if: $x) } }`;
      await engine(document, { x: true });
      await engine(document, { x: false });
      expect(seen).toEqual(['(id summary)', '(id)']);
    });
  },
);

describe('what an operation learns of its selection', () => {
  const page = (nodes: string): string => `(calendar nextSyncToken ${nodes} pageInfo)`;

  it('is remembered for a document, within bounds', async () => {
    seen.splice(0);
    const names = Array.from({ length: 7 }, (_, index) => `v${index}`);
    const document = parse(
      `query (${names.map((name) => `$${name}: Boolean!`).join(' ')}) { event(calendarId: "a", eventId: "b") { id ${names.map((name) => `${name}: summary @include(if: $${name})`).join(' ')} } }`,
    );
    const selections = new Set<FieldSelection>();
    const field = schema.getQueryType()?.getFields().event;
    const before = field?.resolve;
    const collecting = query(async (_args, _context, selected?: Selected) => {
      if (selected) selections.add(selected());
      return event;
    });
    Object.assign(field ?? {}, resolversOf(collecting));
    for (let bits = 0; bits < 256; bits += 1) {
      const flags = names.map((name, index) => [name, (bits & (1 << index)) !== 0]);
      const variableValues = Object.fromEntries(flags) as Record<string, boolean>;
      await execute({ schema, document, contextValue: contextOf(), variableValues });
    }
    Object.assign(field ?? {}, { resolve: before });
    expect(selections.size).toBe(64 + 2 * 64);
  });

  it.each([
    ['event', 'Event', 'id,hangoutLink,start/date,nothing', '(callLink etag id start)'],
    ['event', 'Event', 'attendees(email,self)', '(attendees(email self) etag start)'],
    [
      'patchEvent',
      'Event',
      'conferenceData/entryPoints/uri',
      '(conferenceData(entryPoints(uri)) etag start)',
    ],
    ['event', 'Event', '*', ''],
    ['event', 'Event', 'creator/*', '(creator etag start)'],
    ['event', 'Event', 'extendedProperties/private/a', '(etag extendedProperties(private) start)'],
    ['events', 'Events', 'items(id,summary),nextPageToken', page('nodes(etag id start summary)')],
    ['instances', 'Events', 'items', page('nodes')],
    ['instances', 'Events', 'summary', page('nodes(etag start)')],
    ['event', 'Events', 'items/id', '(etag id start)'],
    ['events', 'Events', '*/id', page('nodes')],
  ])('is told to %s by the fields of an answer of %s: %s', (operation, answer, fields, expected) => {
    const selected = selectedOf({ answer } as never, operation, parseFields(fields), schemas);
    expect(selected && textOf(selected())).toBe(expected);
  });

  it('is the whole where a REST request asks for no fields, or for others than events', () => {
    expect(selectedOf({ answer: 'Event' } as never, 'event', undefined, schemas)).toBeUndefined();
    expect(selectedOf({ answer: 'Bucket' } as never, 'bucket', parseFields('id'), schemas)).toBeUndefined();
  });
});
