import { getIntrospectionQuery } from 'graphql';
import { selectEveryField } from '../../selections.ts';
import {
  startGateway,
  useGateway,
  type Answer,
  type RequestOptions,
  type TestGateway,
} from '../../harness.ts';

const joinRepeated = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');
const writeEventField = (selection: string): string =>
  `event(calendarId: "primary", eventId: "teammeeting") ${selection}`;
const writePageField = (first: string | number, selection: string): string =>
  `events(calendarId: "primary", first: ${first}) { nodes ${selection} }`;
const allEventFields = selectEveryField('Event');
const writePatchFields = (count: number, body = '$e'): string =>
  joinRepeated(
    count,
    (index) =>
      `p${index}: patchEvent(calendarId: "primary", eventId: "teammeeting", validateOnly: true, event: ${body}) { id }`,
  );
const writeSharedPatches = (count: number): string =>
  `mutation ($e: EventInput!) { ${writePatchFields(count)} }`;
const createGuests = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({
    email: `guest${index}@example.com`,
    displayName: `Guest number ${index}`,
    responseStatus: 'needsAction',
  }));

/** Reads limit and cost of a refused operation; undefined if it was not refused for its cost. */
function readRefusedCost({ errors = [], status }: Answer): { max: number; actual: number } | undefined {
  const [issue] = errors[0]?.extensions.issues ?? [];
  if (issue?.reason !== 'tooMany' || !issue.message.startsWith('This operation costs')) return undefined;
  expect([status, issue.path]).toEqual([200, []]);
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  return issue.params as { max: number; actual: number };
}

test('twelve expensive operations at once all succeed', async () => {
  const gateway = await startGateway();
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => gateway.ask(`{ ${writePageField(2500, allEventFields)} }`)),
  );
  await gateway.close();
  expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
  expect(answers[0]?.errors).toBeUndefined();
});

describe('the cost of an operation', () => {
  let now = Date.UTC(2026, 11, 1);
  // A limit of 1 makes refusals report the cost of every operation that costs more than 1.
  const gateway = useGateway({ RATE_LIMIT: '1' }, { clock: () => now });

  const measureCost = async (query: string, variables: object = {}): Promise<number> => {
    now += 60_000;
    const answer = await gateway.ask(query, variables);
    expect(answer.status).toBe(200);
    return readRefusedCost(answer)?.actual ?? 1;
  };

  test.each([
    ['a plain root field', `{ ${writeEventField('{ id }')} }`, 1],
    ['an event with all fields', `{ ${writeEventField(allEventFields)} }`, 1],
    ['a page as it comes, with some fields', '{ events(calendarId: "primary") { nodes { id summary } } }', 1],
    ['five root fields', `{ ${joinRepeated(5, (n) => `a${n}: ${writeEventField(allEventFields)}`)} }`, 5],
    ['twenty changes', `mutation { ${writePatchFields(20, '{ summary: "x" }')} }`, 20],
  ])('of %s is one for each root field', async (_what, query, cost) =>
    expect(await measureCost(query)).toBe(cost),
  );

  test('grows with the page length, given as literal, variable or default', async () => {
    const costOfHundred = await measureCost(`{ ${writePageField(100, allEventFields)} }`);
    const costOfThousand = await measureCost(`{ ${writePageField(1000, allEventFields)} }`);
    expect(costOfHundred).toBeGreaterThan(15);
    expect(Math.abs(costOfThousand - 10 * costOfHundred)).toBeLessThan(10);
    const pageQuery = `($n: Int) { ${writePageField('$n', allEventFields)} }`;
    expect(await measureCost(`query ${pageQuery}`, { n: 100 })).toBe(costOfHundred);
    expect(await measureCost(`query ${pageQuery.replace('Int', 'Int = 100')}`)).toBe(costOfHundred);
    expect(await measureCost(`query ${pageQuery}`)).toBe(
      await measureCost(`{ ${writePageField(250, allEventFields)} }`),
    ); // the argument's own default
    const fragments = `fragment F on Query { ${writePageField(100, '{ ...G }')} } fragment G on Event ${allEventFields}`;
    expect(await measureCost(`{ ...F } ${fragments}`)).toBe(costOfHundred);
    const edgesField = `events(calendarId: "primary", first: 100) { edges { node ${allEventFields} } }`;
    expect(await measureCost(`{ ${edgesField} }`)).toBe(costOfHundred);
    expect(
      await measureCost(
        `{ ${writePageField(1000, allEventFields)} b: ${writePageField(1000, allEventFields)} }`,
      ),
    ).toBe(2 * costOfThousand);
  });

  test('grows with a list argument', async () => {
    const range = 'timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z"';
    const freeBusyField = (ids: string): string =>
      `freeBusy(calendarIds: ${ids}, ${range}) { calendarId busy { start end } }`;
    const ids = Array.from({ length: 50 }, (_, index) => `calendar${index}`);
    const costOfFifty = await measureCost(`{ ${freeBusyField(JSON.stringify(ids))} }`);
    expect(costOfFifty).toBeGreaterThan(
      4 * (await measureCost(`{ ${freeBusyField(JSON.stringify(ids.slice(0, 10)))} }`)),
    );
    expect(await measureCost(`query ($ids: [String!]!) { ${freeBusyField('$ids')} }`, { ids })).toBe(
      costOfFifty,
    );
  });

  test('grows with the size of variables times their uses', async () => {
    const e = { attendees: createGuests(1000) };
    const costOfOneUse = await measureCost(writeSharedPatches(1), { e });
    expect(costOfOneUse).toBeGreaterThan(2);
    expect(await measureCost(writeSharedPatches(20), { e })).toBe(20 * costOfOneUse);
    expect(
      await measureCost(writeSharedPatches(1), { e: { description: 'x'.repeat(500_000) } }),
    ).toBeGreaterThan(15);
    expect(await measureCost(writeSharedPatches(1), { e: {}, unused: 'x'.repeat(500_000) })).toBeGreaterThan(
      15,
    );
  });

  test('grows with the document and with fields that validation compares', async () => {
    expect(await measureCost(`{ __typename } # ${'x'.repeat(22_500)}`)).toBeGreaterThan(5);
    expect(await measureCost(`{ ${writeEventField(`{ ${'id '.repeat(70)} }`)} }`)).toBeGreaterThan(5);
    expect(await measureCost(`{ ${writeEventField(`{ ${joinRepeated(70, (n) => `a${n}: id`)} }`)} }`)).toBe(
      1,
    );
  });
});

describe('the maximum cost of an operation', () => {
  const gateway = useGateway();

  const explorerIntrospection = getIntrospectionQuery({
    specifiedByUrl: true,
    inputValueDeprecation: true,
    directiveIsRepeatable: true,
  });
  test.each<[string, string, object]>([
    ['the introspection of explorers', explorerIntrospection, {}],
    [
      'twenty events with all fields',
      `{ ${joinRepeated(20, (n) => `a${n}: ${writeEventField(allEventFields)}`)} }`,
      {},
    ],
    ['the longest page with all fields', `{ ${writePageField(2500, allEventFields)} }`, {}],
    ['200 attendees in a variable', writeSharedPatches(1), { e: { attendees: createGuests(200) } }],
    [
      '20 patches by aliases',
      writeSharedPatches(20),
      { e: { summary: 'New', description: 'x'.repeat(8000) } },
    ],
  ])('is above %s', async (_what, query, variables) =>
    expect((await gateway.ask(query, variables)).errors).toBeUndefined(),
  );

  test.each<[string, string, object]>([
    [
      '30 long pages',
      `{ ${joinRepeated(30, (n) => `a${n}: ${writePageField(2500, '{ summary attendees { email } }')}`)} }`,
      {},
    ],
    [
      'one large variable in 100 places',
      writeSharedPatches(100),
      { e: { attendees: Array(24_000).fill({}) } },
    ],
  ])('is below %s, and the error names the cost and a remedy', async (_what, query, variables) => {
    const answer = await gateway.ask(query, variables);
    const { max, actual } = readRefusedCost(answer) ?? { max: 0, actual: 0 };
    // The gateway's maximum cost is 800.
    expect([max, actual > max]).toEqual([800, true]);
    expect(answer.errors?.[0]?.message).toBe(
      `This operation costs ${actual}; one may cost at most 800. Ask for fewer fields, a smaller "first", or less input, or send it in several requests.`,
    );
    expect(answer.data).toBeUndefined();
  });

  test.each([
    [
      '51 operations',
      joinRepeated(51, (n) => `query Q${n} { __typename }`),
      'A document may hold 50 operations at most.',
    ],
    [
      'more than 100 fragments',
      `{ ${joinRepeated(101, (n) => `...F${n}`)} } ${joinRepeated(101, (n) => `fragment F${n} on Query { a${n}: __typename }`)}`,
      'A document may hold 100 fragments at most.',
    ],
    ['unused fragments', '{ __typename } fragment F on Event { id }', 'Fragment "F" is never used.'],
    ['unknown fragments', '{ ...F }', 'Unknown fragment "F".'],
    [
      'many conditions of a field, which fragments multiply',
      `{ ...A } fragment A on Query { ${joinRepeated(10, (n) => `a${n}: __typename ${'@skip(if: true) '.repeat(40)}`)} }`,
      'The directive "@skip" can only be used once at this location.',
    ],
    [
      'the same field again and again',
      `{ ${writeEventField(`{ ${'id '.repeat(4900)} }`)} }`,
      'This document selects the same field too often at one place of the response, or uses too many fragments side by side.',
    ],
  ])('a document that is expensive to validate is refused before: %s', async (_what, query, message) => {
    const operationName = query.startsWith('query Q0') ? 'Q0' : undefined;
    const { errors } = await gateway.ask(query, {}, { operationName });
    expect(errors?.map((error) => error.message)).toEqual([message]);
  });
});

describe('the rate limit', () => {
  let now = Date.UTC(2026, 11, 1);
  const startWithLimit = (limit: number): Promise<TestGateway> =>
    startGateway({ RATE_LIMIT: `${limit}` }, { clock: () => now });

  test('counts the cost of operations', async () => {
    const gateway = await startWithLimit(100);
    expect((await gateway.ask(`{ ${writePageField(250, allEventFields)} }`)).status).toBe(200);
    const answer = await gateway.ask(`{ ${writePageField(250, allEventFields)} }`);
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '60']);
    expect((await gateway.ask(`{ ${writePageField(100, allEventFields)} }`)).status).toBe(200);
    await gateway.close();
  });

  test('below the cost of an operation refuses it without Retry-After', async () => {
    const gateway = await startWithLimit(3);
    const answer = await gateway.ask(`{ ${joinRepeated(4, (n) => `a${n}: ${writeEventField('{ id }')}`)} }`);
    expect([answer.headers['retry-after'], readRefusedCost(answer)]).toEqual([
      undefined,
      { max: 3, actual: 4 },
    ]);
    expect(answer.errors?.[0]?.message).toMatch(/^This operation costs 4; one may cost at most 3\./);
    expect(
      (await gateway.ask(`{ ${joinRepeated(2, (n) => `a${n}: ${writeEventField('{ id }')}`)} }`)).status,
    ).toBe(200);
    await gateway.close();
  });

  test.each<[string, string, RequestOptions]>([
    ['a syntax error', '{', {}],
    ['an unknown field', '{ nope }', {}],
    ['a document that is expensive to validate', `{ ${writeEventField(`{ ${'id '.repeat(100)} }`)} }`, {}],
    ['a missing scope', `{ ${writeEventField('{ id }')} }`, { scopes: [] }],
    ['no token', `{ ${writeEventField('{ id }')} }`, { as: null }],
  ])('also counts refused requests: %s', async (_what, query, options) => {
    const gateway = await startWithLimit(3);
    const refusedAnswer = await gateway.ask(query, {}, options);
    expect(refusedAnswer.errors?.[0]?.extensions.code).not.toBe('RATE_LIMITED');
    for (let count = 0; count < 2; count += 1) await gateway.ask(query, {}, options);
    expect((await gateway.ask('{ __typename }', {}, { ...options, headers: {} })).status).toBe(429);
    now += 60_000;
    await gateway.close();
  });
});
