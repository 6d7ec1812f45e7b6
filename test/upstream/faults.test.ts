import { oneHour, type Controls, type Outcome } from '../event/event.harness.ts';
import { deleteDocument } from '../event/list.harness.ts';
import { startFront } from './services/services.ts';
import { transientFaults, type FaultName, type FaultOptions } from './services/faults.ts';
import { useForAll } from '../use-resource.ts';

const alice = 'alice@example.com';
const attendees = [{ email: 'bob@example.com' }, { email: 'eve@elsewhere.example' }];
const notifyAll = { sendUpdates: 'all' };
const summary = 'After';
const unknownProblems = ['UNAVAILABLE outcomeUnknown'];

describe('service failures', () => {
  const front = useForAll(() => startFront());
  beforeEach(() => front.skipMinute());
  afterEach(() => front.services.misbehaviour.stopFaults());

  /** Runs a request while its calls fail with these faults in turn. */
  async function withFaults(
    faults: FaultName | readonly FaultName[],
    run: () => Promise<Outcome>,
    options: FaultOptions = {},
  ): Promise<Outcome> {
    front.services.misbehaviour.failNext([faults].flat(), options);
    return run();
  }

  const { insert, patch, read, remove } = {
    insert: (body: object, controls?: Controls) => () =>
      front.gateway.insert({ ...oneHour, ...body }, controls),
    patch: (id: string, body: object, controls?: Controls) => () => front.gateway.patch(id, body, controls),
    read: (id: string) => () => front.gateway.read(id),
    remove: (eventId: string, controls?: object) => () =>
      front.gateway.run(deleteDocument, { calendarId: 'primary', eventId, ...controls }),
  };
  const makeEvent = async (body: object = {}): Promise<{ readonly id: string; readonly etag: string }> =>
    front.gateway.makeEvent({ summary: 'Before', ...body });
  const changeMeanwhile = (id: string) =>
    front.services.events.changeAsOwner(alice, id, { summary: 'Between' });
  const readStored = (id: string) =>
    front.services.events.listStored(alice).find(({ json }) => json.id === id)?.json;
  const changesOf = (id: string) => front.services.events.appliedChanges.filter((change) => change.id === id);
  /** Methods whose calls notified guests of the event, in order. */
  const notifyingMethods = (id: string) =>
    changesOf(id)
      .filter(({ notifiedEmails }) => notifiedEmails.length > 0)
      .map(({ method }) => method);

  describe.each(transientFaults)('%s once', (fault) => {
    test('is hidden from writes without notifications, and nothing is stored twice', async () => {
      const countBefore = front.services.events.listStored(alice).length;
      const inserted = await withFaults(fault, insert({}));
      expect([inserted.problems, front.services.events.listStored(alice).length]).toEqual([
        [],
        countBefore + 1,
      ]);
      const { id } = inserted.event;
      const patched = await withFaults(fault, patch(id, { summary }));
      expect([patched.problems, readStored(id)?.summary]).toEqual([[], summary]);
      const removed = await withFaults(fault, remove(id));
      expect([removed.problems, removed.event, readStored(id)?.status]).toEqual([[], true, 'cancelled']);
    });

    test('notifies no guest twice', async () => {
      const inserted = await withFaults(fault, insert({ attendees }, notifyAll), { methods: /insert/ });
      expect(inserted.problems).toEqual([]);
      const { id } = inserted.event;
      const patched = await withFaults(fault, patch(id, { summary }, notifyAll), { methods: /patch/ });
      const removed = await withFaults(fault, remove(id, notifyAll), { methods: /delete/ });
      for (const { problems } of [patched, removed]) expect([[], unknownProblems]).toContainEqual(problems);
      expect(notifyingMethods(id)).toEqual([...new Set(notifyingMethods(id))]);
      // Acknowledged writes must have been carried out.
      if (patched.problems.length === 0)
        expect(changesOf(id).some(({ body }) => body.summary === summary)).toBe(true);
      if (removed.problems.length === 0) expect(readStored(id)?.status).toBe('cancelled');
    });
  });

  const limitedProblem = 'RATE_LIMITED rateLimitExceeded';
  const unavailableProblem = 'UNAVAILABLE backendError';
  const scopeProblem = 'FORBIDDEN insufficientScope';
  const [unknownProblem] = unknownProblems as [string];
  test.each<[fault: FaultName, read: string, write?: string, retryAfter?: number]>([
    ['429', limitedProblem, limitedProblem, 10],
    ['429 with a long Retry-After', limitedProblem, limitedProblem, 60],
    ['insufficientPermissions', scopeProblem, scopeProblem],
    ['a scope missing by the details', scopeProblem, scopeProblem],
    ['a scope missing by the challenge', scopeProblem, scopeProblem],
    ['401', 'UNAUTHENTICATED authError', 'UNAUTHENTICATED authError'],
    ['500', unavailableProblem, unknownProblem],
    ['reset when done', unavailableProblem, unknownProblem],
    ['a cut body', unavailableProblem, unknownProblem],
    ['redirect', unavailableProblem, unavailableProblem, 1],
  ])('permanent %s is %s for reads, and guests are notified once at most', async (fault, ...expected) => {
    const [readProblem, writeProblem, retryAfter] = expected;
    const { id } = await makeEvent({ attendees });
    for (const [run, problem] of [
      [read(id), readProblem],
      [patch(id, { summary }, notifyAll), writeProblem],
    ] as const) {
      front.skipMinute();
      const { problems, errors } = await withFaults(fault, run, { repeatsLast: true });
      expect(problems[0]?.replace(/ (calendarId|eventId)/, '')).toBe(problem);
      if (retryAfter !== undefined) expect(errors?.[0]?.extensions).toMatchObject({ retryAfter });
    }
    expect(notifyingMethods(id).length).toBeLessThanOrEqual(1);
  });

  test.each<FaultName>(['500 when done', 'reset when done', 'broken JSON', 'a cut body'])(
    'a carried out change with an etag does not fail for its own new etag (%s)',
    async (fault) => {
      for (const body of [{ summary }, { summary, attendees }]) {
        const { id, etag } = await makeEvent();
        const outcome = await withFaults(fault, patch(id, body, { ifMatch: etag, ...notifyAll }), {
          methods: /patch/,
        });
        expect([outcome.problems, outcome.event?.etag]).toEqual([[], readStored(id)?.etag]);
        expect(changesOf(id).map(({ method }) => method)).toEqual(['events.insert', 'events.patch']);
      }
    },
  );

  test('a change with a lost response stays unknown if its event changed again', async () => {
    for (const body of [{ summary }, { summary, attendees }]) {
      const { id, etag } = await makeEvent();
      const lostResponse = { methods: /patch/, meanwhile: () => changeMeanwhile(id) };
      const outcome = await withFaults('reset when done', patch(id, body, { ifMatch: etag }), lostResponse);
      expect([outcome.problems, readStored(id)?.summary]).toEqual([unknownProblems, 'Between']);
    }
  });

  test.each<[FaultName, readonly string[]]>([
    ['reset when done', []],
    ['reset before', ['PRECONDITION_FAILED ifMatch conditionNotMet']],
  ])(
    'a delete with a lost response (%s) that then fails for its etag succeeds if the event is gone',
    async (fault, problems) => {
      const { id, etag } = await makeEvent();
      changeMeanwhile(id);
      const ifMatch = fault === 'reset before' ? etag : readStored(id)?.etag;
      const outcome = await withFaults([fault, '412'], remove(id, { ifMatch }), { methods: /delete/ });
      expect(outcome.problems).toEqual(problems);
    },
  );
});
