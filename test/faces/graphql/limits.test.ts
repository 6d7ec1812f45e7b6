import { useGateway, type Answer } from '../../harness.ts';

const call = 'event(calendarId: "primary", eventId: "teammeeting")';
const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');
const within = (levels: number, open: string, inner: string, close: string): string =>
  open.repeat(levels) + inner + close.repeat(levels);

describe('how large a request may be', () => {
  const gateway = useGateway();

  const refusedWith = async (document: string, message: string): Promise<void> => {
    const answer = await gateway.ask(document);
    const issues = [{ path: [], reason: 'invalid', message }];
    expect(answer.errors).toMatchObject([
      { message, extensions: { code: 'BAD_USER_INPUT', reason: 'invalid', issues } },
    ]);
    expect(answer.data).toBeUndefined();
  };
  const passes = async (document: string): Promise<Answer['data']> => {
    const { data, errors } = await gateway.ask(document);
    expect(errors).toBeUndefined();
    return data;
  };

  const tooDeep = 'A document may be nested 40 levels deep at most.';
  const inlines = (levels: number): string =>
    `{ ${call} { ${within(levels - 2, '... on Event { ', 'id', ' }')} } }`;

  test('a document may be nested 40 levels deep and not one more', async () => {
    expect(await passes(inlines(39))).toEqual({ event: { id: 'teammeeting' } });
    expect(await passes(inlines(40))).toEqual({ event: { id: 'teammeeting' } });
    await refusedWith(inlines(41), tooDeep);
  });

  test.each([
    ['selections', `{ ${within(20_000, 'a { ', 'b', ' }')} }`],
    ['lists', `mutation { insertEvent(event: { attendees: ${within(5000, '[', '', ']')} }) { id } }`],
    ['objects', `mutation { insertEvent(event: ${within(5000, '{a:', '1', '}')}) { id } }`],
    ['types', `query ($a: ${within(5000, '[', 'Int', ']')}) { __typename }`],
    ['brackets that nothing closes', '{['.repeat(50_000)],
  ])('%s without end are refused, and no 500', async (_what, document) => {
    await refusedWith(document, tooDeep);
  });

  test('brackets in texts and comments do not count, nor do those side by side', async () => {
    const fields = times(60, (index) => `a${index}: ${call} { id }`);
    expect(Object.keys(await passes(`{ ${fields} }`))).toHaveLength(60);
    const brackets = '([{'.repeat(100);
    const document = `# ${brackets}\nmutation { patchEvent(calendarId: "primary", eventId: "holiday", validateOnly: true, event: { summary: "${brackets}" description: """${brackets}""" }) { summary description } }`;
    expect(await passes(document)).toEqual({ patchEvent: { summary: brackets, description: brackets } });
  });

  test('what is no document is told as such, however long', async () => {
    const [error] = (await gateway.ask(`{ ${'a { } '.repeat(41)} \u0001`)).errors ?? [];
    expect(error?.message).toMatch(/^Syntax Error/);
  });

  test('a document may have 5,000 tokens and not one more', async () => {
    const tooLong = 'A document may have 5000 tokens at most. Send long inputs in variables.';
    // The braces and `id` take 13, each alias 3 and each comma none.
    const ofTokens = (tokens: number): string =>
      `{ ${call} { ${'id '.repeat((tokens - 13) % 3)}${times(Math.floor((tokens - 13) / 3), (n) => `a${n}: id,`)} } }`;
    expect(await passes(ofTokens(4999))).toHaveProperty('event.a0', 'teammeeting');
    expect(await passes(ofTokens(5000))).toHaveProperty('event.a0', 'teammeeting');
    await refusedWith(ofTokens(5001), tooLong);
    await refusedWith('"" '.repeat(200_000), tooLong);
  });

  test('the limits hold for GET as well', async () => {
    const url = `/graphql?${new URLSearchParams({ query: inlines(41) }).toString()}`;
    const response = await gateway.app.inject({ url, headers: { 'apollo-require-preflight': 'true' } });
    expect(response.statusCode).toBe(400);
    expect(response.body).toContain(tooDeep);
  });

  test('an operation may have 100 root fields and not one more, wherever they stand', async () => {
    const tooMany = 'An operation may have 100 root fields at most.';
    const roots = (count: number): string => times(count, (index) => `a${index}: __typename`);
    const spread = (count: number): string =>
      `{ ... { ${roots(count - 1)} } ...F ...F } fragment F on Query { z: __typename }`;
    expect(Object.keys(await passes(`{ ${roots(100)} }`))).toHaveLength(100);
    expect(Object.keys(await passes(spread(100)))).toHaveLength(100);
    await refusedWith(`{ ${roots(101)} }`, tooMany);
    await refusedWith(spread(101), tooMany);
  });

  test('a document may ask for 5,000 fields, those of a fragment counted wherever it is used', async () => {
    const tooMany =
      'A document may ask for 5000 fields at most; those of a fragment count wherever it is used.';
    const asking = (inFragment: number, beside: number): string => `{
      ${times(10, (index) => `a${index}: ${call} { ...F }`)} b: ${call} { ${times(beside, (n) => `x${n}: id`)} }
    } fragment F on Event { ${times(inFragment, (n) => `y${n}: id`)} }`;
    // 11 root fields, 10 times the fragment, and what stands beside it
    expect(Object.keys(await passes(asking(498, 9)))).toHaveLength(11);
    await refusedWith(asking(498, 10), tooMany);
  });

  test('an answer may have 16 million characters: what is above is told, and of a change that it was made', async () => {
    const fragment = `fragment F on Event { ${times(1600, (n) => `a${n}: description`)} }`;
    const long = async (kind: string, field: string, roots: number): Promise<Answer> =>
      gateway.ask(`${kind} { ${times(roots, (n) => `f${n}: ${field} { ...F }`)} } ${fragment}`);
    const patch = (description: string): string =>
      `patchEvent(calendarId: "primary", eventId: "holiday", event: { description: "${description}" })`;
    await passes(`mutation { ${patch('x'.repeat(8000))} { id } }`);
    const read = await long('query', 'event(calendarId: "primary", eventId: "holiday")', 2);
    expect(Object.values(read.data).map((value) => value === null)).toEqual([false, true]);
    const message = expect.stringMatching(/^The answer is too long/);
    expect(read.errors).toMatchObject([{ path: ['f1'], message, extensions: { reason: 'tooLong' } }]);
    const changed = await long('mutation', patch('y'.repeat(8192)), 2);
    expect(changed.errors).toMatchObject([
      { path: ['f1'], message: expect.stringMatching(/^This was carried out, but its answer is too long/) },
    ]);
    const { event } = await passes('{ event(calendarId: "primary", eventId: "holiday") { description } }');
    expect(event.description).toBe('y'.repeat(8192));
  });

  test('fragments that double fragments are counted, not followed', async () => {
    const doubled = times(
      60,
      (n) => `fragment F${n} on Event { ${n === 59 ? 'id' : `...F${n + 1} ...F${n + 1}`} }`,
    );
    await refusedWith(
      `{ ${call} { ...F0 } } ${doubled}`,
      'A document may ask for 5000 fields at most; those of a fragment count wherever it is used.',
    );
  });

  test('fragments that hold themselves are refused in a short answer', async () => {
    const ring = times(100, (n) => `fragment F${n} on Query { ...F${(n + 1) % 100} }`);
    const answer = await gateway.ask(`{ ...F0 } ${ring}`);
    expect(answer.errors?.[0]?.message).toMatch(/^Cannot spread fragment "F0" within itself/);
    expect(Buffer.byteLength(answer.body)).toBeLessThan(20_000);
  });
});
