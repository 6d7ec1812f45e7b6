import { alice, berlin, bob, hour, startEvents, type EventGateway } from './event-http.harness.ts';
import { listShort, syncTokenOf, twoCalendars, type ListVariables } from './list.harness.ts';

const env = { SIGNING_SECRET: 'a secret that more than one process may share' };
const seed = twoCalendars(berlin, ['one', 'two', 'three'].map((id) => ({ id: `event${id}`, ...hour })));
const cure = 'Leave it out to list everything again';

describe('tokens and cursors', () => {
  let gateway: EventGateway;
  let syncToken: string;
  let cursor: string;
  beforeAll(async () => {
    gateway = await startEvents([], { seed }, env);
    syncToken = await syncTokenOf(gateway);
    cursor = (await listShort(gateway, { first: 1 })).endCursor as string;
  });
  afterAll(() => gateway.close());

  async function refused(variables: ListVariables, argument: 'syncToken' | 'after', message: string, of = gateway): Promise<void> {
    const { problems, answer } = await listShort(of, variables);
    expect(problems).toEqual([`BAD_USER_INPUT ${argument} invalid`]);
    expect(answer.errors?.[0]?.message).toContain(message);
    expect(answer.errors?.[0]?.message).toContain(argument === 'syncToken' ? cure : 'Leave it out to begin again');
    expect(answer.event).toBeNull();
  }

  /** The token with one of its characters exchanged. */
  const tampered = (token: string, index: number): string => token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
  /** The token with a changed content, and the seal it had. */
  const rewritten = (token: string, change: object): string => {
    const [content = '', seal] = token.split('.');
    const marker = { ...JSON.parse(Buffer.from(content, 'base64url').toString()), ...change };
    return `${Buffer.from(JSON.stringify(marker)).toString('base64url')}.${seal}`;
  };

  const garbage: [string, () => string][] = [
    ['garbage', () => 'garbage'], ['an empty text', () => ''], ['a dot', () => '.'], ['a long text', () => 'x'.repeat(10_000)], ['something else', () => 'ключ.🙂'],
    ['one with something behind it', () => `${syncToken}.x`], ['one cut short', () => syncToken.slice(0, -1)], ['one without a seal', () => syncToken.split('.')[0] as string],
    ['one with its first character changed', () => tampered(syncToken, 0)], ['one with its seal changed', () => tampered(syncToken, syncToken.length - 2)],
    ['one rewritten for another calendar', () => rewritten(syncToken, { calendarId: bob })], ['one rewritten to begin earlier', () => rewritten(syncToken, { mark: 'x.0' })],
  ];

  test.each(garbage)('%s is no token', async (_name, make) => {
    await refused({ syncToken: make() }, 'syncToken', 'not one that this calendar');
  });

  test.each(garbage)('%s is no cursor', async (_name, make) => {
    await refused({ after: make() }, 'after', 'must be a cursor');
  });

  test('a cursor is no token, and a token no cursor', async () => {
    await refused({ syncToken: cursor }, 'syncToken', 'not one that this calendar');
    await refused({ after: syncToken }, 'after', 'must be a cursor');
  });

  test('another calendar’s token or cursor does not fit', async () => {
    await refused({ as: bob, syncToken }, 'syncToken', 'not one that this calendar');
    await refused({ as: bob, after: cursor }, 'after', 'must be a cursor');
  });

  test('primary and the calendar’s id are the same calendar', async () => {
    expect((await listShort(gateway, { calendarId: 'primary', syncToken })).problems).toEqual([]);
    expect((await listShort(gateway, { calendarId: 'primary', after: cursor })).problems).toEqual([]);
  });

  describe('a cursor goes with the selection it came from', () => {
    const updatedMin = '2020-01-01T00:00:00Z';
    const selections: [string, () => ListVariables][] = [
      ['plain', () => ({})], ['showDeleted', () => ({ showDeleted: true })], ['updatedMin', () => ({ updatedMin })],
      ['another updatedMin', () => ({ updatedMin: '2020-01-01T00:00:01Z' })], ['both', () => ({ updatedMin, showDeleted: true })],
    ];
    test.each(selections.flatMap(([from, of]) => selections.map(([to, by]) => ({ from, to, of, by }))))('from $from to $to', async ({ from, to, of, by }) => {
      const { endCursor } = await listShort(gateway, { first: 1, ...of() });
      if (from === to) expect((await listShort(gateway, { after: endCursor, ...by() })).ids).toHaveLength(2);
      else await refused({ after: endCursor, ...by() }, 'after', 'same calendar, syncToken, updatedMin and showDeleted');
    });

    test('and with its token', async () => {
      const other = await startEvents([], { seed }, env);
      const before = await syncTokenOf(other);
      for (const id of ['eventone', 'eventtwo']) await other.patch(id, { summary: 'New' });
      const { endCursor } = await listShort(other, { syncToken: before, first: 1 });
      expect((await listShort(other, { syncToken: before, after: endCursor })).ids).toEqual(['eventtwo']);
      await refused({ after: endCursor }, 'after', 'must be a cursor', other);
      await refused({ syncToken: await syncTokenOf(other), after: endCursor }, 'after', 'must be a cursor', other);
      await refused({ syncToken: before, after: endCursor, showDeleted: true }, 'after', 'must be a cursor', other);
      await other.close();
    });
  });

  test('a token from before the store began anew has expired, and the error says how to go on', async () => {
    const later = await startEvents([], { seed }, env);
    await refused({ syncToken }, 'syncToken', 'syncToken has expired', later);
    const fresh = await syncTokenOf(later);
    expect((await listShort(later, { syncToken: fresh })).problems).toEqual([]);
    await later.close();
  });

  test('and so has a cursor: what it counted may be elsewhere now', async () => {
    const later = await startEvents([], { seed }, env);
    await refused({ after: cursor, first: 1 }, 'after', 'after has expired', later);
    await later.close();
  });

  test('a token sealed with another secret is none', async () => {
    const stranger = await startEvents([], { seed }, { SIGNING_SECRET: 'another secret that also has more than 32 bytes' });
    await refused({ syncToken }, 'syncToken', 'not one that this calendar', stranger);
    await stranger.close();
  });

  test('all that is wrong with the arguments comes at once', async () => {
    const { problems } = await listShort(gateway, { first: 0, updatedMin: '2020-01-01T00:00:00Z', syncToken: 'x', after: 'y' });
    expect([...problems].sort()).toEqual(['after', 'first', 'syncToken', 'updatedMin'].map((argument) => `BAD_USER_INPUT ${argument} invalid`));
  });

  test('no token tells its secret: the seal is not the key, and the text says nothing of other calendars', () => {
    for (const token of [syncToken, cursor]) {
      const content = Buffer.from(token.split('.')[0] as string, 'base64url').toString();
      expect(content).toContain(alice);
      expect(content).not.toContain(bob);
      expect(content).not.toContain(env.SIGNING_SECRET);
    }
  });
});
