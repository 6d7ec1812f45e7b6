import { useGateway, type Answer } from '../../harness.ts';

const eventField = 'event(calendarId: "primary", eventId: "teammeeting")';
const joinRepeated = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(' ');
const nest = (levels: number, open: string, inner: string, close: string): string =>
  open.repeat(levels) + inner + close.repeat(levels);

describe('the size limits of a request', () => {
  const gateway = useGateway();

  const expectRefusal = async (document: string, message: string): Promise<void> => {
    const answer = await gateway.ask(document);
    const issues = [{ path: [], reason: 'invalid', message }];
    expect(answer.errors).toMatchObject([
      { message, extensions: { code: 'BAD_USER_INPUT', reason: 'invalid', issues } },
    ]);
    expect(answer.data).toBeUndefined();
  };
  const expectSuccess = async (document: string): Promise<Answer['data']> => {
    const { data, errors } = await gateway.ask(document);
    expect(errors).toBeUndefined();
    return data;
  };

  const tooDeepMessage = 'A document may be nested 40 levels deep at most.';
  const nestFragments = (levels: number): string =>
    `{ ${eventField} { ${nest(levels - 2, '... on Event { ', 'id', ' }')} } }`;

  test('a document may be nested 40 levels deep and not one more', async () => {
    expect(await expectSuccess(nestFragments(39))).toEqual({ event: { id: 'teammeeting' } });
    expect(await expectSuccess(nestFragments(40))).toEqual({ event: { id: 'teammeeting' } });
    await expectRefusal(nestFragments(41), tooDeepMessage);
  });

  test.each([
    ['selections', `{ ${nest(20_000, 'a { ', 'b', ' }')} }`],
    ['lists', `mutation { insertEvent(event: { attendees: ${nest(5000, '[', '', ']')} }) { id } }`],
    ['objects', `mutation { insertEvent(event: ${nest(5000, '{a:', '1', '}')}) { id } }`],
    ['types', `query ($a: ${nest(5000, '[', 'Int', ']')}) { __typename }`],
    ['unclosed brackets', '{['.repeat(50_000)],
  ])('extremely deep %s are refused, without a 500', async (_what, document) => {
    await expectRefusal(document, tooDeepMessage);
  });

  test('brackets in strings and comments do not count as depth, nor do sibling selections', async () => {
    const fields = joinRepeated(60, (index) => `a${index}: ${eventField} { id }`);
    expect(Object.keys(await expectSuccess(`{ ${fields} }`))).toHaveLength(60);
    const brackets = '([{'.repeat(100);
    const document = `# ${brackets}\nmutation { patchEvent(calendarId: "primary", eventId: "holiday", validateOnly: true, event: { summary: "${brackets}" description: """${brackets}""" }) { summary description } }`;
    expect(await expectSuccess(document)).toEqual({
      patchEvent: { summary: brackets, description: brackets },
    });
  });

  test('a syntax error is reported as such, even in a long document', async () => {
    const [error] = (await gateway.ask(`{ ${'a { } '.repeat(41)} \u0001`)).errors ?? [];
    expect(error?.message).toMatch(/^Syntax Error/);
  });

  test('a document may have 5,000 tokens and not one more', async () => {
    const tooLongMessage = 'A document may have 5000 tokens at most. Send long inputs in variables.';
    // The frame takes 13 tokens, each alias 3; commas are no tokens.
    const documentOfTokens = (tokenCount: number): string =>
      `{ ${eventField} { ${'id '.repeat((tokenCount - 13) % 3)}${joinRepeated(Math.floor((tokenCount - 13) / 3), (n) => `a${n}: id,`)} } }`;
    expect(await expectSuccess(documentOfTokens(4999))).toHaveProperty('event.a0', 'teammeeting');
    expect(await expectSuccess(documentOfTokens(5000))).toHaveProperty('event.a0', 'teammeeting');
    await expectRefusal(documentOfTokens(5001), tooLongMessage);
    await expectRefusal('"" '.repeat(200_000), tooLongMessage);
  });

  test('the limits hold for GET as well', async () => {
    const url = `/graphql?${new URLSearchParams({ query: nestFragments(41) }).toString()}`;
    const response = await gateway.app.inject({ url, headers: { 'apollo-require-preflight': 'true' } });
    expect(response.statusCode).toBe(400);
    expect(response.body).toContain(tooDeepMessage);
  });

  test('an operation may have 100 root fields and not one more, fragments included', async () => {
    const tooManyRootFieldsMessage = 'An operation may have 100 root fields at most.';
    const writeRootFields = (count: number): string =>
      joinRepeated(count, (index) => `a${index}: __typename`);
    const documentWithSpreads = (count: number): string =>
      `{ ... { ${writeRootFields(count - 1)} } ...F ...F } fragment F on Query { z: __typename }`;
    expect(Object.keys(await expectSuccess(`{ ${writeRootFields(100)} }`))).toHaveLength(100);
    expect(Object.keys(await expectSuccess(documentWithSpreads(100)))).toHaveLength(100);
    await expectRefusal(`{ ${writeRootFields(101)} }`, tooManyRootFieldsMessage);
    await expectRefusal(documentWithSpreads(101), tooManyRootFieldsMessage);
  });

  test('a document may ask for 5,000 fields, counting those of a fragment at each use', async () => {
    const tooManyFieldsMessage =
      'A document may ask for 5000 fields at most; those of a fragment count at each use.';
    const documentWithFields = (fragmentFieldCount: number, otherFieldCount: number): string => `{
      ${joinRepeated(10, (index) => `a${index}: ${eventField} { ...F }`)} b: ${eventField} { ${joinRepeated(otherFieldCount, (n) => `x${n}: id`)} }
    } fragment F on Event { ${joinRepeated(fragmentFieldCount, (n) => `y${n}: id`)} }`;
    // 11 root fields, 10 times the fragment, and the fields of b
    expect(Object.keys(await expectSuccess(documentWithFields(498, 9)))).toHaveLength(11);
    await expectRefusal(documentWithFields(498, 10), tooManyFieldsMessage);
  });

  test('a response may have 16 million characters: an excess is an error, which says whether a change was made', async () => {
    const fragment = `fragment F on Event { ${joinRepeated(1600, (n) => `a${n}: description`)} }`;
    const askForLongResponse = async (kind: string, field: string, rootCount: number): Promise<Answer> =>
      gateway.ask(`${kind} { ${joinRepeated(rootCount, (n) => `f${n}: ${field} { ...F }`)} } ${fragment}`);
    const patchField = (description: string): string =>
      `patchEvent(calendarId: "primary", eventId: "holiday", event: { description: "${description}" })`;
    await expectSuccess(`mutation { ${patchField('x'.repeat(8000))} { id } }`);
    const longRead = await askForLongResponse('query', 'event(calendarId: "primary", eventId: "holiday")', 2);
    expect(Object.values(longRead.data).map((value) => value === null)).toEqual([false, true]);
    const message = expect.stringMatching(/^The response is too long/);
    expect(longRead.errors).toMatchObject([{ path: ['f1'], message, extensions: { reason: 'tooLong' } }]);
    const longChange = await askForLongResponse('mutation', patchField('y'.repeat(8192)), 2);
    expect(longChange.errors).toMatchObject([
      { path: ['f1'], message: expect.stringMatching(/^This was carried out, but its response is too long/) },
    ]);
    const { event } = await expectSuccess(
      '{ event(calendarId: "primary", eventId: "holiday") { description } }',
    );
    expect(event.description).toBe('y'.repeat(8192));
  });

  test('fragments that multiply fragments are counted, not expanded', async () => {
    const doublingFragments = joinRepeated(
      60,
      (n) => `fragment F${n} on Event { ${n === 59 ? 'id' : `...F${n + 1} ...F${n + 1}`} }`,
    );
    await expectRefusal(
      `{ ${eventField} { ...F0 } } ${doublingFragments}`,
      'A document may ask for 5000 fields at most; those of a fragment count at each use.',
    );
  });

  test('cyclic fragments are refused in a short response', async () => {
    const ring = joinRepeated(100, (n) => `fragment F${n} on Query { ...F${(n + 1) % 100} }`);
    const answer = await gateway.ask(`{ ...F0 } ${ring}`);
    expect(answer.errors?.[0]?.message).toMatch(/^Cannot spread fragment "F0" within itself/);
    expect(Buffer.byteLength(answer.body)).toBeLessThan(20_000);
  });
});
