import type { Viewer } from '../../../src/access/permissions.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { Fields } from '../../../src/core/json.ts';
import type { StreamedEvent } from '../../../src/core/runtime/streams.ts';
import type { Call } from '../../../src/upstream/client/http-exchange.ts';
import { alice, bob } from '../../event/event.harness.ts';
import { eventually } from '../../eventually.ts';
import { answerWith, refusal, startFront, useFront, type Front } from './upstream.harness.ts';

/** Records the events of a stream, with errors of single calendars as their codes. */
class StreamRecorder {
  readonly events: unknown[] = [];
  readonly ids: (string | undefined)[] = [];
  error: unknown;
  isDone = false;
  readonly #stop = new AbortController();
  readonly ended = this.#stop.signal;

  stop(): void {
    this.#stop.abort();
  }

  listen(source: AsyncIterable<StreamedEvent<unknown>>): this {
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
      this.isDone = true;
    })();
    return this;
  }
}

const recorders: StreamRecorder[] = [];
const fronts: Front[] = [];
afterEach(async () => {
  for (const recorder of recorders.splice(0)) recorder.stop();
  for (const front of fronts.splice(0)) await front.close();
});

const viewerOf = (identity: string): Viewer => ({
  sub: identity,
  identity,
  key: identity,
  scopes: new Set(),
});

async function followCalendars(
  front: Front,
  calendars: string | readonly string[],
  { lastEventId, as = alice }: { readonly lastEventId?: string | undefined; readonly as?: string } = {},
): Promise<StreamRecorder> {
  const recorder = new StreamRecorder();
  recorders.push(recorder);
  const request = { lastEventId, endSignal: recorder.ended };
  const source =
    typeof calendars === 'string'
      ? front.events.followCalendar(viewerOf(as), { calendarId: calendars }, request)
      : front.events.followCalendars(viewerOf(as), { calendarIds: calendars }, request);
  return recorder.listen(await source);
}

/** Waits until the service has got more than `minPolls` further calls. */
const waitForPolls = ({ calls }: Front, minPolls = 3): Promise<void> => {
  const callCountBefore = calls.length;
  return eventually(async () => expect(calls.length).toBeGreaterThan(callCountBefore + minPolls));
};

describe('following calendars of an upstream service', () => {
  const { service, front } = useFront();

  it('reports changes with an id, after which a later stream resumes', async () => {
    const firstStream = await followCalendars(front, 'primary');
    await service.makeEvent();
    await eventually(async () => expect(firstStream.events).toEqual([alice]));
    firstStream.stop();
    await eventually(async () => expect(firstStream.isDone).toBe(true));
    const resumedStream = await followCalendars(front, alice, { lastEventId: firstStream.ids[0] });
    await waitForPolls(front);
    expect(resumedStream.events).toEqual([]);
    await service.makeEvent();
    await eventually(async () => expect(resumedStream.events).toEqual([alice]));
    const streamAfterMissedChange = await followCalendars(front, 'primary', {
      lastEventId: firstStream.ids[0],
    });
    await eventually(async () => expect(streamAfterMissedChange.events).toEqual([alice]));
    const streamAfterUnknownId = await followCalendars(front, 'primary', { lastEventId: 'x' });
    await eventually(async () => expect(streamAfterUnknownId.events).toEqual([alice]));
  });

  it('reports changes of several calendars, after an event for each', async () => {
    const allCalendarsStream = await followCalendars(front, ['primary', alice]);
    await eventually(async () => expect(allCalendarsStream.events).toEqual([alice]));
    await service.makeEvent();
    await eventually(async () => expect(allCalendarsStream.events).toEqual([alice, alice]));
  });

  it('is refused for calendars that the caller may not see', async () => {
    await expect(followCalendars(front, 'nobody@example.com')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      issues: [{ path: ['calendarId'] }],
    });
    await expect(
      followCalendars(front, ['nobody@example.com', alice, 'nothing@example.com', 'nobody@example.com']),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
      issues: [{ path: ['calendarIds', 0] }, { path: ['calendarIds', 3] }, { path: ['calendarIds', 2] }],
    });
    await expect(followCalendars(front, [])).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('polls only while a stream is open', async () => {
    const recorder = await followCalendars(front, bob, { as: bob });
    await waitForPolls(front);
    recorder.stop();
    await eventually(async () => expect(recorder.isDone).toBe(true));
    const countPolls = () => front.calls.filter(({ path }) => path[1] === bob).length;
    const pollCountBefore = countPolls();
    // Polls for another caller continue at the same pace.
    await followCalendars(front, 'primary');
    await waitForPolls(front, 20);
    expect(countPolls()).toBe(pollCountBefore);
  });
});

describe('polling an upstream service by sync token', () => {
  /** Starts a front whose calls are answered by `next`; undefined means no change. */
  async function startScriptedFront() {
    const front = await startFront();
    fronts.push(front);
    const scripted = { front, calls: front.calls, answerCall: (_call: Call): unknown => undefined };
    front.intercept(async (call) => {
      const body = scripted.answerCall(call) ?? { nextSyncToken: 'same' };
      if (body instanceof Error) throw body;
      return body as Fields;
    });
    return scripted;
  }
  const createAwayError = () => new AppError('UNAVAILABLE', 'backendError', 'It is away.');
  const isSyncWith =
    (token: string) =>
    ({ query }: Call): boolean =>
      query?.syncToken === token;

  it('is shared by all streams of a caller', async () => {
    const scripted = await startScriptedFront();
    const streams = [
      await followCalendars(scripted.front, 'primary'),
      await followCalendars(scripted.front, alice),
      await followCalendars(scripted.front, ['primary']),
    ];
    expect(scripted.calls.filter(({ query }) => query?.syncToken === undefined)).toHaveLength(1);
    let isReported = false;
    scripted.answerCall = () =>
      isReported ? undefined : ((isReported = true), { items: [{ id: 'x' }], nextSyncToken: 'next' });
    await eventually(async () => expect(streams.map(({ events }) => events.length)).toEqual([1, 1, 2]));
    streams[0]?.stop();
    await waitForPolls(scripted.front);
    expect(scripted.calls.some(isSyncWith('next'))).toBe(true);
  });

  it('reads all pages, and omits an id that does not fit a header', async () => {
    const scripted = await startScriptedFront();
    scripted.answerCall = ({ query }) =>
      query?.pageToken === undefined ? { nextPageToken: 'p' } : { nextSyncToken: 'a b' };
    const stream = await followCalendars(scripted.front, 'primary');
    scripted.answerCall = ({ query }) =>
      query?.pageToken === undefined
        ? { items: [{}], nextPageToken: 'p' }
        : { items: [], nextSyncToken: 'a b' };
    await eventually(async () => expect(stream.events.length).toBeGreaterThan(0));
    expect(stream.ids[0]).toBeUndefined();
  });

  it('lists again if its token has expired', async () => {
    const scripted = await startScriptedFront();
    const stream = await followCalendars(scripted.front, 'primary');
    scripted.answerCall = ({ query }) =>
      query?.syncToken === 'same' ? refusal(410, 'fullSyncRequired') : { nextSyncToken: 'anew' };
    await eventually(async () => expect(stream.events).toEqual([alice]));
    expect(stream.ids).toEqual(['anew']);
    await waitForPolls(scripted.front);
    expect(stream.events).toEqual([alice]);
  });

  it('starts anew after the last stream has ended, with a check of the access', async () => {
    const front = await startFront(undefined, { pollSeconds: 3600 });
    fronts.push(front);
    front.intercept(answerWith({ nextSyncToken: 'first' }));
    const recorder = await followCalendars(front, bob);
    recorder.stop();
    await eventually(async () => expect(recorder.isDone).toBe(true));
    front.intercept(() => Promise.reject(refusal(404, 'notFound')));
    await expect(followCalendars(front, bob)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('continues after the service was unavailable', async () => {
    const scripted = await startScriptedFront();
    const stream = await followCalendars(scripted.front, 'primary');
    scripted.answerCall = createAwayError;
    await waitForPolls(scripted.front);
    scripted.answerCall = () => ({ items: [{}], nextSyncToken: 'back' });
    await eventually(async () => expect(stream.events.length).toBeGreaterThan(0));
    scripted.answerCall = createAwayError;
    const lateStream = await followCalendars(scripted.front, 'primary', { lastEventId: 'x' });
    await eventually(async () => expect(lateStream.events).toEqual([alice]));
    stream.stop();
    lateStream.stop();
  });

  it('does not start while the service is unavailable or returns no token', async () => {
    const scripted = await startScriptedFront();
    scripted.answerCall = createAwayError;
    await expect(followCalendars(scripted.front, ['primary', bob])).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    for (const body of [{}, [], { nextPageToken: 5 }]) {
      scripted.answerCall = () => body;
      await expect(followCalendars(scripted.front, 'primary')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
    scripted.answerCall = () => undefined;
    await followCalendars(scripted.front, 'primary');
  });

  it('ends for a calendar that the caller may no longer see', async () => {
    const scripted = await startScriptedFront();
    const allCalendarsStream = await followCalendars(scripted.front, ['primary', bob]);
    const recorder = await followCalendars(scripted.front, bob);
    scripted.answerCall = ({ path }) => (path[1] === bob ? refusal(404, 'notFound') : undefined);
    await eventually(async () =>
      expect(allCalendarsStream.events).toEqual([alice, bob, ['NOT_FOUND', ['calendarIds.1']]]),
    );
    await eventually(async () =>
      expect(recorder.error).toMatchObject({ code: 'NOT_FOUND', issues: [{ path: ['calendarId'] }] }),
    );
    expect(allCalendarsStream.isDone).toBe(false);
    scripted.answerCall = () => refusal(403, 'forbidden');
    await eventually(async () =>
      expect(allCalendarsStream.events.at(-1)).toEqual(['FORBIDDEN', ['calendarIds.0']]),
    );
    await eventually(async () => expect(allCalendarsStream.isDone).toBe(true));
  });

  it('ends when the bearer token is refused', async () => {
    const scripted = await startScriptedFront();
    const allCalendarsStream = await followCalendars(scripted.front, ['primary']);
    const recorder = await followCalendars(scripted.front, 'primary');
    scripted.answerCall = () => new AppError('UNAUTHENTICATED', 'authError', 'The token is none.');
    await eventually(async () =>
      expect([allCalendarsStream.error, recorder.error]).toMatchObject([
        { code: 'UNAUTHENTICATED' },
        { code: 'UNAUTHENTICATED' },
      ]),
    );
  });

  it('does not poll for a stream that has ended', async () => {
    const scripted = await startScriptedFront();
    const recorder = new StreamRecorder();
    recorder.stop();
    const request = { lastEventId: 'x', endSignal: recorder.ended };
    recorder.listen(
      await scripted.front.events.followCalendar(viewerOf(alice), { calendarId: 'primary' }, request),
    );
    await eventually(async () => expect(recorder.isDone).toBe(true));
    expect(recorder.events).toEqual([]);
    expect(scripted.calls.filter(isSyncWith('same'))).toEqual([]);
  });
});

test('the own calendar of a caller without an address is reported as `primary`', async () => {
  const front = await startFront();
  fronts.push(front);
  front.intercept(answerWith({ items: [], nextSyncToken: 'token' }));
  const recorder = await followCalendars(front, ['primary'], { as: 'a subject' });
  await eventually(async () => expect(recorder.events).toEqual(['primary']));
});
