import { useGateway, type Answer } from '../../../harness.ts';

const writePatchMutation = (count: number): string => `mutation ($event: EventInput!) {
  ${Array.from({ length: count }, (_, n) => `p${n}: patchEvent(calendarId: "primary", eventId: "teammeeting", event: $event) { id }`).join(' ')}
}`;
const createList = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const createMap = (count: number, value: unknown, key = 'key'): object =>
  Object.fromEntries(createList(count, (n) => [`${key}${n}`, value]));

describe('many issues and warnings', () => {
  const gateway = useGateway();

  const patch = (event: unknown): Promise<Answer> => gateway.ask(writePatchMutation(1), { event });
  const patchWithLiteral = (event: string): Promise<Answer> =>
    gateway.ask(
      `mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: ${event}) { id } }`,
    );

  describe('give a short response', () => {
    const longLiteral = `{ email: ${'1'.repeat(450)} } `;
    test.each<[string, () => Promise<Answer>]>([
      ['5,000 wrong entries of a list', () => patch({ attendees: createList(5000, () => ({ email: 1 })) })],
      ['5,000 unknown fields', () => patch(createMap(5000, 1, 'x'.repeat(60)))],
      [
        '5,000 entries of a map',
        () => patch({ gadget: { preferences: createMap(5000, 1, 'x'.repeat(100)) } }),
      ],
      [
        'keys of 100,000 characters',
        () => patch({ ['y'.repeat(100_000)]: 1, gadget: { preferences: { ['é'.repeat(100_000)]: 1 } } }),
      ],
      ['a wrong value of 500,000 characters', () => patch({ sequence: 'x'.repeat(500_000) })],
      ['900 long wrong literals', () => patchWithLiteral(`{ attendees: [${longLiteral.repeat(900)}] }`)],
      [
        '5,000 entries that break rules',
        () => patch({ attendees: createList(5000, () => ({ email: 'wrong' })) }),
      ],
    ])('%s', async (_what, send) => {
      const answer = await send();
      expect(answer.errors?.length).toBeGreaterThan(0);
      expect(answer.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
      expect(answer.errors?.[0]?.extensions.issues.length).toBeGreaterThan(0);
      expect(Buffer.byteLength(answer.body)).toBeLessThan(20_000);
    });
  });

  test.each<[string, unknown, string]>([
    ['wrong entries', { attendees: createList(24_000, () => 1) }, 'attendees'],
    ['entries of the right type', { recurrence: createList(24_000, () => 'x') }, 'recurrence'],
    ['nulls', { attendees: createList(24_000, () => null) }, 'attendees'],
  ])('the entries of a list over the limit are not read: %s', async (_what, event, field) => {
    const { errors } = await patch(event);
    const actual = (event as Record<string, unknown[]>)[field]?.length;
    const message = `A list may have at most 1000 entries; this one has ${actual}.`;
    expect(errors?.map(({ extensions: { issues } }) => issues)).toEqual([
      [{ path: ['event', field], reason: 'tooMany', message, params: { max: 1000, actual } }],
    ]);
  });

  test.each([
    ['strings', 'x'],
    ['numbers', 1],
  ])('the entries of a map over the limit are not read: %s', async (_what, value) => {
    const { errors } = await patch({ gadget: { preferences: createMap(5_000, value) } });
    const message = 'A StringMap may have at most 1000 entries in one request. Send fewer.';
    const issues = [{ path: ['event', 'gadget', 'preferences'] }];
    expect(errors).toMatchObject([{ message, extensions: { issues } }]);
  });

  test('the first hundred unknown fields are reported', async () => {
    const { errors } = await patch(createMap(5_000, 1));
    expect(errors?.[0]?.extensions.issues).toHaveLength(100);
    expect(errors?.[0]?.extensions.issues.at(-1)?.path).toEqual(['event', 'key99']);
  });

  test('warnings are reported up to a limit, with the number of those left out', async () => {
    const event = {
      attendeesOmitted: true,
      attendees: createList(150, (n) => ({ email: `guest${n}@example.com` })),
    };
    const answer = await gateway.ask(writePatchMutation(20), { event });
    expect(answer.errors).toBeUndefined();
    expect(Buffer.byteLength(answer.body)).toBeLessThan(150_000);
    const warningsOfField = (field: string): readonly { message: string }[] =>
      (answer.warnings ?? []).filter((warning) => warning.field === field);
    expect(warningsOfField('p0').length).toBeGreaterThan(100);
    expect(warningsOfField('p0').length).toBeLessThan(122);
    expect(warningsOfField('p0').at(-1)).toMatchObject({ reason: 'incomplete' });
    const message = expect.stringMatching(/^Further warnings of this field: 1\d\d\.$/);
    expect(warningsOfField('p19')).toMatchObject([{ path: [], reason: 'incomplete', message }]);
  });
});
