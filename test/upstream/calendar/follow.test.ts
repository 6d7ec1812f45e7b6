import { AppError } from '../../../src/core/kernel/errors.ts';
import type { Streamed } from '../../../src/core/runtime/stream.ts';
import { ServiceRefusal, type Call, type Reply } from '../../../src/upstream/client/call.ts';
import { people, alice, bob } from '../../event/event.harness.ts';
import { eventually } from '../../eventually.ts';
import { startRest, type RestGateway } from '../../faces/rest/rest.harness.ts';
import { inFrontOf, overRest, type Front } from './upstream.harness.ts';

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
afterEach(() => {
  for (const one of heard.splice(0)) one.stop();
});

async function follow(front: Front, calendarId: string, lastEventId?: string, as = alice): Promise<Heard> {
  const one = new Heard();
  heard.push(one);
  return one.listen(
    await front.events.followCalendar(
      await front.viewer(as),
      { calendarId },
      { lastEventId, ended: one.ended },
    ),
  );
}

async function followAll(front: Front, calendarIds: readonly string[], as = alice): Promise<Heard> {
  const one = new Heard();
  heard.push(one);
  return one.listen(
    await front.events.followCalendars(
      await front.viewer(as),
      { calendarIds },
      { lastEventId: undefined, ended: one.ended },
    ),
  );
}

/** After so many more looks at the service. */
const afterLooks = (count: () => number, looks = 3): Promise<void> => {
  const before = count();
  return eventually(async () => expect(count()).toBeGreaterThan(before + looks));
};

describe('changes of the calendars of a service', () => {
  let gateway: RestGateway;
  let front: Front;
  let looks = 0;
  beforeAll(async () => {
    gateway = await startRest({}, { seed: { calendars: people() } });
    const answer = overRest(gateway);
    front = inFrontOf((call, token) => {
      looks += 1;
      return answer(call, token);
    });
  });
  afterAll(() => gateway.close());
  const add = async (as = alice): Promise<unknown> =>
    (
      await gateway.ask(
        'mutation { insertEvent(calendarId: "primary", event: { start: { date: "2026-12-08" }, end: { date: "2026-12-09" } }) { id } }',
        {},
        { as },
      )
    ).data.insertEvent.id;

  it('are told, with an id behind which a later stream goes on', async () => {
    const first = await follow(front, 'primary');
    await add();
    await eventually(async () => expect(first.events).toEqual([alice]));
    first.stop();
    await eventually(async () => expect(first.done).toBe(true));
    const nothing = await follow(front, alice, first.ids[0]);
    await afterLooks(() => looks);
    expect(nothing.events).toEqual([]);
    await add();
    await eventually(async () => expect(nothing.events).toEqual([alice]));
    const missed = await follow(front, 'primary', first.ids[0]);
    await eventually(async () => expect(missed.events).toEqual([alice]));
    const unknown = await follow(front, 'primary', 'x');
    await eventually(async () => expect(unknown.events).toEqual([alice]));
  });

  it('are told of several calendars, after one event for each', async () => {
    const all = await followAll(front, ['primary', alice], alice);
    await eventually(async () => expect(all.events).toEqual([alice]));
    await add();
    await eventually(async () => expect(all.events).toEqual([alice, alice]));
  });

  it('are refused for calendars that the caller may not see', async () => {
    await expect(follow(front, 'nobody@example.com')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      issues: [{ path: ['calendarId'] }],
    });
    await expect(
      followAll(front, ['nobody@example.com', alice, 'nothing@example.com', 'nobody@example.com']),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
      issues: [{ path: ['calendarIds', 0] }, { path: ['calendarIds', 3] }, { path: ['calendarIds', 2] }],
    });
    await expect(followAll(front, [])).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('are looked for while somebody follows, no longer', async () => {
    const one = await follow(front, 'primary');
    await afterLooks(() => looks);
    one.stop();
    await eventually(async () => {
      const before = looks;
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(looks).toBe(before);
    });
  });
});

describe('a service that is looked at by sync token', () => {
  /** A service whose next answers are told; else nothing has changed. */
  function service(): { readonly front: Front; next: (call: Call, token: string) => unknown; calls: Call[] } {
    const made = {
      calls: [] as Call[],
      next: (_call: Call, _token: string): unknown => undefined,
      front: inFrontOf((call, token): Reply => {
        made.calls.push(call);
        const body = made.next(call, token) ?? { nextSyncToken: 'same' };
        if (body instanceof Error) throw body;
        return { status: 200, body };
      }),
    };
    return made;
  }
  const syncsBy =
    (token: string) =>
    ({ query }: Call): boolean =>
      query?.syncToken === token;

  it('is looked at once for all streams of a caller', async () => {
    const made = service();
    const streams = [
      await follow(made.front, 'primary'),
      await follow(made.front, alice),
      await followAll(made.front, ['primary']),
    ];
    expect(made.calls.filter(({ query }) => query?.syncToken === undefined)).toHaveLength(1);
    let told = false;
    made.next = () => (told ? undefined : ((told = true), { items: [{ id: 'x' }], nextSyncToken: 'next' }));
    await eventually(async () => expect(streams.map(({ events }) => events.length)).toEqual([1, 1, 2]));
    streams[0]?.stop();
    await afterLooks(() => made.calls.length);
    expect(made.calls.some(syncsBy('next'))).toBe(true);
  });

  it('goes through its pages, and need not tell a token that fits a header', async () => {
    const made = service();
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
    const made = service();
    const stream = await follow(made.front, 'primary');
    made.next = ({ query }) =>
      query?.syncToken === 'same'
        ? new ServiceRefusal(410, 'fullSyncRequired', '', undefined)
        : { nextSyncToken: 'anew' };
    await eventually(async () => expect(stream.events).toEqual([alice]));
    expect(stream.ids).toEqual(['anew']);
    await afterLooks(() => made.calls.length);
    expect(stream.events).toEqual([alice]);
  });

  it('may be away for a while', async () => {
    const made = service();
    const stream = await follow(made.front, 'primary');
    made.next = () => new AppError('UNAVAILABLE', 'backendError', 'It is away.');
    await afterLooks(() => made.calls.length);
    made.next = () => ({ items: [{}], nextSyncToken: 'back' });
    await eventually(async () => expect(stream.events.length).toBeGreaterThan(0));
    made.next = () => new AppError('UNAVAILABLE', 'backendError', 'It is away.');
    const late = await follow(made.front, 'primary', 'x');
    await eventually(async () => expect(late.events).toEqual([alice]));
    stream.stop();
    late.stop();
  });

  it('is not followed where it is away at the start, or gives no token', async () => {
    const made = service();
    made.next = () => new AppError('UNAVAILABLE', 'backendError', 'It is away.');
    await expect(followAll(made.front, ['primary', bob])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    for (const body of [{}, [], { nextPageToken: 5 }]) {
      made.next = () => body;
      await expect(follow(made.front, 'primary')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
    made.next = () => undefined;
    await follow(made.front, 'primary');
  });

  it('may take a calendar away', async () => {
    const made = service();
    const all = await followAll(made.front, ['primary', bob]);
    const one = await follow(made.front, bob);
    made.next = ({ path }) =>
      path[1] === bob ? new ServiceRefusal(404, 'notFound', '', undefined) : undefined;
    await eventually(async () => expect(all.events).toEqual([alice, bob, ['NOT_FOUND', ['calendarIds.1']]]));
    await eventually(async () =>
      expect(one.error).toMatchObject({ code: 'NOT_FOUND', issues: [{ path: ['calendarId'] }] }),
    );
    expect(all.done).toBe(false);
    made.next = () => new ServiceRefusal(403, 'forbidden', '', undefined);
    await eventually(async () => expect(all.events.at(-1)).toEqual(['FORBIDDEN', ['calendarIds.0']]));
    await eventually(async () => expect(all.done).toBe(true));
  });

  it('may refuse the token of a stream, which ends then', async () => {
    const made = service();
    const all = await followAll(made.front, ['primary']);
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
    const made = service();
    const one = new Heard();
    one.stop();
    one.listen(
      await made.front.events.followCalendar(
        await made.front.viewer(alice),
        { calendarId: 'primary' },
        { lastEventId: 'x', ended: one.ended },
      ),
    );
    await eventually(async () => expect(one.done).toBe(true));
    expect(one.events).toEqual([]);
    expect(made.calls.filter(syncsBy('same'))).toEqual([]);
  });
});

test('the own calendar of a caller without an address is told as the caller named it', async () => {
  const front = inFrontOf(() => ({ status: 200, body: { items: [], nextSyncToken: 'token' } }));
  const one = await followAll(front, ['primary'], 'a subject');
  await eventually(async () => expect(one.events).toEqual(['primary']));
});
