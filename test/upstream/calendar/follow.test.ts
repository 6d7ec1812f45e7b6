import type { Viewer } from '../../../src/access/permissions.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { Streamed } from '../../../src/core/runtime/watch.ts';
import type { Call } from '../../../src/upstream/client/exchange.ts';
import { alice, bob } from '../../event/event.harness.ts';
import { eventually } from '../../eventually.ts';
import { answer, refusal, startFront, useFront, type Front } from './upstream.harness.ts';

/** What a stream has said so far; errors of single calendars as their codes. */
class Heard {
  readonly events: unknown[] = [];
  readonly ids: (string | undefined)[] = [];
  error: unknown;
  done = false;
  readonly #stop = new AbortController();
  readonly ended = this.#stop.signal;

  stop(): void {
    this.#stop.abort();
  }

  listen(source: AsyncIterable<Streamed<unknown>>): this {
    void (async () => {
      try {
        for await (const { id, value } of source) {
          this.ids.push(id);
          this.events.push(
            value instanceof AppError
              ? [value.code, value.issues.map(({ path }) => path.join('.'))]
              : (value as { calendarId: string }).calendarId,
          );
        }
      } catch (error) {
        this.error = error;
      }
      this.done = true;
    })();
    return this;
  }
}

const heard: Heard[] = [];
const fronts: Front[] = [];
afterEach(async () => {
  for (const one of heard.splice(0)) one.stop();
  for (const one of fronts.splice(0)) await one.close();
});

const viewerOf = (identity: string): Viewer => ({
  sub: identity,
  identity,
  key: identity,
  scopes: new Set(),
});

async function follow(
  front: Front,
  calendars: string | readonly string[],
  { lastEventId, as = alice }: { readonly lastEventId?: string | undefined; readonly as?: string } = {},
): Promise<Heard> {
  const one = new Heard();
  heard.push(one);
  const request = { lastEventId, ended: one.ended };
  const source =
    typeof calendars === 'string'
      ? front.events.followCalendar(viewerOf(as), { calendarId: calendars }, request)
      : front.events.followCalendars(viewerOf(as), { calendarIds: calendars }, request);
  return one.listen(await source);
}

/** Waits for so many more looks at the service. */
const afterLooks = ({ calls }: Front, looks = 3): Promise<void> => {
  const before = calls.length;
  return eventually(async () => expect(calls.length).toBeGreaterThan(before + looks));
};

describe('changes of the calendars of a service', () => {
  const { service, front } = useFront();

  it('are told, with an id behind which a later stream goes on', async () => {
    const first = await follow(front, 'primary');
    await service.make();
    await eventually(async () => expect(first.events).toEqual([alice]));
    first.stop();
    await eventually(async () => expect(first.done).toBe(true));
    const nothing = await follow(front, alice, { lastEventId: first.ids[0] });
    await afterLooks(front);
    expect(nothing.events).toEqual([]);
    await service.make();
    await eventually(async () => expect(nothing.events).toEqual([alice]));
    const missed = await follow(front, 'primary', { lastEventId: first.ids[0] });
    await eventually(async () => expect(missed.events).toEqual([alice]));
    const unknown = await follow(front, 'primary', { lastEventId: 'x' });
    await eventually(async () => expect(unknown.events).toEqual([alice]));
  });

  it('are told of several calendars, after one event for each', async () => {
    const all = await follow(front, ['primary', alice]);
    await eventually(async () => expect(all.events).toEqual([alice]));
    await service.make();
    await eventually(async () => expect(all.events).toEqual([alice, alice]));
  });

  it('are refused for calendars that the caller may not see', async () => {
    await expect(follow(front, 'nobody@example.com')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      issues: [{ path: ['calendarId'] }],
    });
    await expect(
      follow(front, ['nobody@example.com', alice, 'nothing@example.com', 'nobody@example.com']),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
      issues: [{ path: ['calendarIds', 0] }, { path: ['calendarIds', 3] }, { path: ['calendarIds', 2] }],
    });
    await expect(follow(front, [])).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('are looked for while somebody follows, no longer', async () => {
    const one = await follow(front, bob, { as: bob });
    await afterLooks(front);
    one.stop();
    await eventually(async () => expect(one.done).toBe(true));
    const looks = () => front.calls.filter(({ path }) => path[1] === bob).length;
    const before = looks();
    // Looks for another caller go on, at the same pace.
    await follow(front, 'primary');
    await afterLooks(front, 20);
    expect(looks()).toBe(before);
  });
});

describe('a service that is looked at by sync token', () => {
  /** A service that answers with `next`; without an answer nothing has changed. */
  async function service() {
    const front = await startFront();
    fronts.push(front);
    const made = { front, calls: front.calls, next: (_call: Call): unknown => undefined };
    front.between(async (call) => {
      const body = made.next(call) ?? { nextSyncToken: 'same' };
      if (body instanceof Error) throw body;
      return { status: 200, body };
    });
    return made;
  }
  const away = () => new AppError('UNAVAILABLE', 'backendError', 'It is away.');
  const syncsBy =
    (token: string) =>
    ({ query }: Call): boolean =>
      query?.syncToken === token;

  it('is looked at once for all streams of a caller', async () => {
    const made = await service();
    const streams = [
      await follow(made.front, 'primary'),
      await follow(made.front, alice),
      await follow(made.front, ['primary']),
    ];
    expect(made.calls.filter(({ query }) => query?.syncToken === undefined)).toHaveLength(1);
    let told = false;
    made.next = () => (told ? undefined : ((told = true), { items: [{ id: 'x' }], nextSyncToken: 'next' }));
    await eventually(async () => expect(streams.map(({ events }) => events.length)).toEqual([1, 1, 2]));
    streams[0]?.stop();
    await afterLooks(made.front);
    expect(made.calls.some(syncsBy('next'))).toBe(true);
  });

  it('goes through its pages, and need not tell a token that fits a header', async () => {
    const made = await service();
    made.next = ({ query }) =>
      query?.pageToken === undefined ? { nextPageToken: 'p' } : { nextSyncToken: 'a b' };
    const stream = await follow(made.front, 'primary');
    made.next = ({ query }) =>
      query?.pageToken === undefined
        ? { items: [{}], nextPageToken: 'p' }
        : { items: [], nextSyncToken: 'a b' };
    await eventually(async () => expect(stream.events.length).toBeGreaterThan(0));
    expect(stream.ids[0]).toBeUndefined();
  });

  it('is listed anew where its token has expired', async () => {
    const made = await service();
    const stream = await follow(made.front, 'primary');
    made.next = ({ query }) =>
      query?.syncToken === 'same' ? refusal(410, 'fullSyncRequired') : { nextSyncToken: 'anew' };
    await eventually(async () => expect(stream.events).toEqual([alice]));
    expect(stream.ids).toEqual(['anew']);
    await afterLooks(made.front);
    expect(stream.events).toEqual([alice]);
  });

  it('may be away for a while', async () => {
    const made = await service();
    const stream = await follow(made.front, 'primary');
    made.next = away;
    await afterLooks(made.front);
    made.next = () => ({ items: [{}], nextSyncToken: 'back' });
    await eventually(async () => expect(stream.events.length).toBeGreaterThan(0));
    made.next = away;
    const late = await follow(made.front, 'primary', { lastEventId: 'x' });
    await eventually(async () => expect(late.events).toEqual([alice]));
    stream.stop();
    late.stop();
  });

  it('is not followed where it is away at the start, or gives no token', async () => {
    const made = await service();
    made.next = away;
    await expect(follow(made.front, ['primary', bob])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    for (const body of [{}, [], { nextPageToken: 5 }]) {
      made.next = () => body;
      await expect(follow(made.front, 'primary')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
    made.next = () => undefined;
    await follow(made.front, 'primary');
  });

  it('may take a calendar away', async () => {
    const made = await service();
    const all = await follow(made.front, ['primary', bob]);
    const one = await follow(made.front, bob);
    made.next = ({ path }) => (path[1] === bob ? refusal(404, 'notFound') : undefined);
    await eventually(async () => expect(all.events).toEqual([alice, bob, ['NOT_FOUND', ['calendarIds.1']]]));
    await eventually(async () =>
      expect(one.error).toMatchObject({ code: 'NOT_FOUND', issues: [{ path: ['calendarId'] }] }),
    );
    expect(all.done).toBe(false);
    made.next = () => refusal(403, 'forbidden');
    await eventually(async () => expect(all.events.at(-1)).toEqual(['FORBIDDEN', ['calendarIds.0']]));
    await eventually(async () => expect(all.done).toBe(true));
  });

  it('may refuse the token of a stream, which ends then', async () => {
    const made = await service();
    const all = await follow(made.front, ['primary']);
    const one = await follow(made.front, 'primary');
    made.next = () => new AppError('UNAUTHENTICATED', 'authError', 'The token is none.');
    await eventually(async () =>
      expect([all.error, one.error]).toMatchObject([
        { code: 'UNAUTHENTICATED' },
        { code: 'UNAUTHENTICATED' },
      ]),
    );
  });

  it('is not looked at for a stream that has ended meanwhile', async () => {
    const made = await service();
    const one = new Heard();
    one.stop();
    const request = { lastEventId: 'x', ended: one.ended };
    one.listen(await made.front.events.followCalendar(viewerOf(alice), { calendarId: 'primary' }, request));
    await eventually(async () => expect(one.done).toBe(true));
    expect(one.events).toEqual([]);
    expect(made.calls.filter(syncsBy('same'))).toEqual([]);
  });
});

test('the own calendar of a caller without an address is told as the caller named it', async () => {
  const front = await startFront();
  fronts.push(front);
  front.between(answer({ items: [], nextSyncToken: 'token' }));
  const one = await follow(front, ['primary'], { as: 'a subject' });
  await eventually(async () => expect(one.events).toEqual(['primary']));
});
