import { hour, type Controls, type Outcome } from '../event/event.harness.ts';
import { removal } from '../event/list.harness.ts';
import { startFront } from './services/services.ts';
import { passing, type FaultName, type Wrongly } from './services/misbehaviour.ts';
import { useForAll } from '../started.ts';

const alice = 'alice@example.com';
const attendees = [{ email: 'bob@example.com' }, { email: 'eve@elsewhere.example' }];
const all = { sendUpdates: 'all' };
const summary = 'After';
const isUnknown = ['UNAVAILABLE outcomeUnknown'];

describe('what goes wrong behind the gateway', () => {
  const front = useForAll(() => startFront());
  beforeEach(() => front.later());
  afterEach(() => front.services.wrong.none());

  /** The answer to a request while its calls go wrong in these ways, one after the other. */
  async function whileWrong(
    faults: FaultName | readonly FaultName[],
    run: () => Promise<Outcome>,
    options: Wrongly = {},
  ): Promise<Outcome> {
    front.services.wrong.next([faults].flat(), options);
    return run();
  }

  const { insert, patch, read, remove } = {
    insert: (body: object, controls?: Controls) => () => front.gateway.insert({ ...hour, ...body }, controls),
    patch: (id: string, body: object, controls?: Controls) => () => front.gateway.patch(id, body, controls),
    read: (id: string) => () => front.gateway.read(id),
    remove: (eventId: string, controls?: object) => () =>
      front.gateway.run(removal, { calendarId: 'primary', eventId, ...controls }),
  };
  const make = async (body: object = {}): Promise<{ readonly id: string; readonly etag: string }> =>
    front.gateway.make({ summary: 'Before', ...body });
  const changeMeanwhile = (id: string) => front.services.events.change(alice, id, { summary: 'Between' });
  const kept = (id: string) => front.services.events.all(alice).find(({ json }) => json.id === id)?.json;
  const doneTo = (id: string) => front.services.events.done.filter((one) => one.id === id);
  /** The methods that told guests. */
  const toldBy = (id: string) =>
    doneTo(id)
      .filter(({ told }) => told.length > 0)
      .map(({ method }) => method);

  describe.each(passing)('%s once', (fault) => {
    test('is not noticed by who writes and tells nobody, and nothing is made twice', async () => {
      const before = front.services.events.all(alice).length;
      const made = await whileWrong(fault, insert({}));
      expect([made.problems, front.services.events.all(alice).length]).toEqual([[], before + 1]);
      const { id } = made.event;
      const patched = await whileWrong(fault, patch(id, { summary }));
      expect([patched.problems, kept(id)?.summary]).toEqual([[], summary]);
      const removed = await whileWrong(fault, remove(id));
      expect([removed.problems, removed.event, kept(id)?.status]).toEqual([[], true, 'cancelled']);
    });

    test('tells no guest twice', async () => {
      const made = await whileWrong(fault, insert({ attendees }, all), { of: /insert/ });
      expect(made.problems).toEqual([]);
      const { id } = made.event;
      const patched = await whileWrong(fault, patch(id, { summary }, all), { of: /patch/ });
      const removed = await whileWrong(fault, remove(id, all), { of: /delete/ });
      for (const { problems } of [patched, removed]) expect([[], isUnknown]).toContainEqual(problems);
      expect(toldBy(id)).toEqual([...new Set(toldBy(id))]);
      // A write that was acknowledged was carried out.
      if (patched.problems.length === 0)
        expect(doneTo(id).some(({ body }) => body.summary === summary)).toBe(true);
      if (removed.problems.length === 0) expect(kept(id)?.status).toBe('cancelled');
    });
  });

  const limited = 'RATE_LIMITED rateLimitExceeded';
  const away = 'UNAVAILABLE backendError';
  const scope = 'FORBIDDEN insufficientScope';
  const [unknown] = isUnknown as [string];
  test.each<[fault: FaultName, read: string, write?: string, retryAfter?: number]>([
    ['429', limited, limited, 10],
    ['429 with a long Retry-After', limited, limited, 60],
    ['insufficientPermissions', scope, scope],
    ['a scope missing by the details', scope, scope],
    ['a scope missing by the challenge', scope, scope],
    ['401', 'UNAUTHENTICATED authError', 'UNAUTHENTICATED authError'],
    ['500', away, unknown],
    ['reset when it is done', away, unknown],
    ['a cut body', away, unknown],
    ['redirect', away, away, 1],
  ])('%s for good is %s to who reads, and guests are told once at most', async (fault, ...expected) => {
    const [onRead, onWrite, retryAfter] = expected;
    const { id } = await make({ attendees });
    for (const [run, problem] of [
      [read(id), onRead],
      [patch(id, { summary }, all), onWrite],
    ] as const) {
      front.later();
      const { problems, errors } = await whileWrong(fault, run, { ever: true });
      expect(problems[0]?.replace(/ (calendarId|eventId)/, '')).toBe(problem);
      if (retryAfter !== undefined) expect(errors?.[0]?.extensions).toMatchObject({ retryAfter });
    }
    expect(toldBy(id).length).toBeLessThanOrEqual(1);
  });

  test.each<FaultName>(['500 when it is done', 'reset when it is done', 'broken JSON', 'a cut body'])(
    'a change with an etag that was carried out is no refusal for its own etag (%s)',
    async (fault) => {
      for (const body of [{ summary }, { summary, attendees }]) {
        const { id, etag } = await make();
        const answer = await whileWrong(fault, patch(id, body, { ifMatch: etag, ...all }), { of: /patch/ });
        expect([answer.problems, answer.event?.etag]).toEqual([[], kept(id)?.etag]);
        expect(doneTo(id).map(({ method }) => method)).toEqual(['events.insert', 'events.patch']);
      }
    },
  );

  test('a lost change of guests without an etag tells them once, also where another came behind it', async () => {
    for (const [isChanged, title, problems] of [
      [false, summary, []],
      [true, 'Between', isUnknown],
    ] as const) {
      const { id } = await make();
      const meanwhile = isChanged ? () => changeMeanwhile(id) : undefined;
      const lost = { of: /patch/, ...(meanwhile && { meanwhile }) };
      const answer = await whileWrong('reset when it is done', patch(id, { summary, attendees }, all), lost);
      expect([answer.problems, kept(id)?.summary]).toEqual([problems, title]);
      expect(toldBy(id)).toEqual(['events.patch']);
    }
  });

  test('of a lost change whose event others changed again nobody says that it was not carried out', async () => {
    for (const body of [{ summary }, { summary, attendees }]) {
      const { id, etag } = await make();
      const lost = { of: /patch/, meanwhile: () => changeMeanwhile(id) };
      const answer = await whileWrong('reset when it is done', patch(id, body, { ifMatch: etag }), lost);
      expect([answer.problems, kept(id)?.summary]).toEqual([isUnknown, 'Between']);
    }
  });

  test.each<[FaultName, readonly string[]]>([
    ['reset when it is done', []],
    ['reset before', ['PRECONDITION_FAILED ifMatch conditionNotMet']],
  ])('a lost deletion (%s) refused for its etag is done where the event is gone', async (fault, problems) => {
    const { id, etag } = await make();
    changeMeanwhile(id);
    const ifMatch = fault === 'reset before' ? etag : kept(id)?.etag;
    const answer = await whileWrong([fault, '412'], remove(id, { ifMatch }), { of: /delete/ });
    expect(answer.problems).toEqual(problems);
  });

  test('an event that was made, and then cannot be read, is no conflict', async () => {
    const faults = ['reset when it is done', 'nothing', '500'] as const;
    const answer = await whileWrong(faults, insert({}), { of: /insert|get/, ever: true });
    expect(answer.problems).toEqual(isUnknown);
  });

  test('an answer that takes longer than there is time left is given up', async () => {
    const { id } = await make();
    // What the pause leaves of the time is less than the answer takes.
    const answer = await whileWrong(['429 for nine seconds', 'slow'], read(id));
    expect(answer.problems).toEqual([away]);
  });
});
