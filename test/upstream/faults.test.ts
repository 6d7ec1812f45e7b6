import { hour, type Outcome } from '../event/event.harness.ts';
import { startFront, type Front } from './services/front.ts';
import type { FaultName, Wrongly } from './services/misbehaviour.ts';

const alice = 'alice@example.com';
const guests = [{ email: 'bob@example.com' }, { email: 'eve@elsewhere.example' }];
const deletion =
  'mutation ($id: String!, $sendUpdates: SendUpdates) { result: deleteEvent(calendarId: "primary", eventId: $id, sendUpdates: $sendUpdates) }';

const guarded =
  'mutation ($id: String!, $ifMatch: String) { result: deleteEvent(calendarId: "primary", eventId: $id, ifMatch: $ifMatch) }';

describe('what goes wrong behind the gateway', () => {
  let front: Front;
  beforeAll(async () => {
    front = await startFront();
  });
  afterAll(() => front.close());
  beforeEach(() => front.later());
  afterEach(() => front.services.wrong.none());

  /** What a request is answered while the calls of it go wrong in these ways, one after the other. */
  async function whileWrong(
    faults: readonly FaultName[],
    run: () => Promise<Outcome>,
    options: Wrongly = {},
  ): Promise<Outcome> {
    front.services.wrong.next(faults, options);
    return run();
  }

  const extensions = ({ errors }: Outcome): Readonly<Record<string, unknown>> => ({
    ...errors?.[0]?.extensions,
  });
  const make = async (body: object = {}): Promise<string> =>
    (await front.gateway.make({ summary: 'Before', ...body })).id;
  const kept = (id: string) => front.services.events.all(alice).find(({ json }) => json.id === id)?.json;
  const doneTo = (id: string) => front.services.events.done.filter((one) => one.id === id);

  const passing: readonly FaultName[] = [
    '429',
    '429 with Retry-After',
    'rateLimitExceeded',
    'userRateLimitExceeded',
    '500',
    '500 when it is done',
    '503',
    '503 with Retry-After',
    'reset before',
    'reset when it is done',
    'broken JSON',
    'a cut body',
  ];

  test.each(passing)('%s once is not noticed by who reads', async (fault) => {
    const id = await make();
    const answer = await whileWrong([fault], () => front.gateway.read(id));
    expect([answer.problems, answer.event.summary]).toEqual([[], 'Before']);
  });

  test.each(passing)(
    '%s once is not noticed by who writes and tells nobody, and nothing is made twice',
    async (fault) => {
      const before = front.services.events.all(alice).length;
      const made = await whileWrong([fault], () => front.gateway.insert({ ...hour, summary: 'Made' }));
      expect([made.problems, front.services.events.all(alice).length]).toEqual([[], before + 1]);
      const patched = await whileWrong([fault], () =>
        front.gateway.patch(made.event.id, { summary: 'After' }),
      );
      expect([patched.problems, kept(made.event.id)?.summary]).toEqual([[], 'After']);
      const removed = await whileWrong([fault], () => front.gateway.run(deletion, { id: made.event.id }));
      expect([removed.problems, removed.event, kept(made.event.id)?.status]).toEqual([[], true, 'cancelled']);
    },
  );

  test.each(passing)('%s once tells no guest twice', async (fault) => {
    const made = await whileWrong(
      [fault],
      () => front.gateway.insert({ ...hour, attendees: guests }, { sendUpdates: 'all' }),
      { of: /insert/ },
    );
    expect(made.problems).toEqual([]);
    const { id } = made.event;
    const patched = await whileWrong(
      [fault],
      () => front.gateway.patch(id, { summary: 'After' }, { sendUpdates: 'all' }),
      { of: /patch/ },
    );
    const removed = await whileWrong([fault], () => front.gateway.run(deletion, { id, sendUpdates: 'all' }), {
      of: /delete/,
    });
    for (const { problems } of [patched, removed])
      expect([[], ['UNAVAILABLE outcomeUnknown']]).toContainEqual(problems);
    expect(
      doneTo(id)
        .filter(({ told }) => told.length > 0)
        .map(({ method }) => method),
    ).toEqual([
      ...new Set(
        doneTo(id)
          .filter(({ told }) => told.length > 0)
          .map(({ method }) => method),
      ),
    ]);
    // Whoever was told that it is done finds it done.
    if (patched.problems.length === 0)
      expect(doneTo(id).some(({ body }) => body.summary === 'After')).toBe(true);
    if (removed.problems.length === 0) expect(kept(id)?.status).toBe('cancelled');
  });

  /** Code and reason that are left over when a fault stays: of a read, and of a write that tells guests. */
  const lasting: readonly (readonly [
    fault: FaultName,
    read: string,
    write: string,
    retryAfter: number | undefined,
  ])[] = (
    [
      ['429', 'RATE_LIMITED rateLimitExceeded', 'RATE_LIMITED rateLimitExceeded', 10],
      ['429 with a long Retry-After', 'RATE_LIMITED rateLimitExceeded', 'RATE_LIMITED rateLimitExceeded', 60],
      ['rateLimitExceeded', 'RATE_LIMITED rateLimitExceeded', 'RATE_LIMITED rateLimitExceeded', 10],
      ['userRateLimitExceeded', 'RATE_LIMITED rateLimitExceeded', 'RATE_LIMITED rateLimitExceeded', 10],
      ['quotaExceeded', 'RATE_LIMITED rateLimitExceeded', 'RATE_LIMITED rateLimitExceeded', 10],
      ['accessNotConfigured', 'UNAVAILABLE backendError', 'UNAVAILABLE backendError', 1],
      ['insufficientPermissions', 'FORBIDDEN insufficientScope', 'FORBIDDEN insufficientScope'],
      ['401', 'UNAUTHENTICATED authError', 'UNAUTHENTICATED authError'],
      ['500', 'UNAVAILABLE backendError', 'UNAVAILABLE outcomeUnknown'],
      ['503', 'UNAVAILABLE backendError', 'UNAVAILABLE outcomeUnknown'],
      ['reset before', 'UNAVAILABLE backendError', 'UNAVAILABLE outcomeUnknown'],
      ['reset when it is done', 'UNAVAILABLE backendError', 'UNAVAILABLE outcomeUnknown'],
      ['broken JSON', 'UNAVAILABLE backendError', 'UNAVAILABLE outcomeUnknown'],
      ['a cut body', 'UNAVAILABLE backendError', 'UNAVAILABLE outcomeUnknown'],
      ['too long a body', 'UNAVAILABLE backendError', 'UNAVAILABLE outcomeUnknown'],
      ['redirect', 'UNAVAILABLE backendError', 'UNAVAILABLE backendError', 1],
    ] as const
  ).map(([fault, read, write, retryAfter]) => [fault, read, write, retryAfter]);

  test.each(lasting)('%s for good is %s to who reads', async (fault, read, _write, retryAfter) => {
    const id = await make();
    const answer = await whileWrong([fault], () => front.gateway.read(id), { ever: true });
    expect(answer.problems[0]?.replace(/ (calendarId|eventId)/, '')).toBe(read);
    if (retryAfter !== undefined) expect(extensions(answer).retryAfter).toBe(retryAfter);
  });

  test.each(lasting)(
    '%s for good is told to who writes, and guests are told once at most',
    async (fault, _read, write, retryAfter) => {
      const id = await make({ attendees: guests });
      const answer = await whileWrong(
        [fault],
        () => front.gateway.patch(id, { summary: 'After' }, { sendUpdates: 'all' }),
        { ever: true },
      );
      expect(answer.problems[0]?.replace(/ (calendarId|eventId)/, '')).toBe(write);
      if (retryAfter !== undefined) expect(extensions(answer).retryAfter).toBe(retryAfter);
      expect(doneTo(id).filter(({ told }) => told.length > 0).length).toBeLessThanOrEqual(1);
    },
  );

  test('412 each time ends after six tries', async () => {
    const id = await make({ attendees: guests });
    front.services.called.length = 0;
    const answer = await whileWrong(
      ['412'],
      () => front.gateway.patch(id, { attendees: [{ email: 'carol@example.com' }] }),
      { of: /patch/, ever: true },
    );
    expect([
      answer.problems,
      front.services.called.filter((method) => method === 'events.patch').length,
      kept(id)?.summary,
    ]).toEqual([['UNAVAILABLE backendError'], 6, 'Before']);
  });

  const lost: readonly FaultName[] = [
    '500 when it is done',
    'reset when it is done',
    'broken JSON',
    'a cut body',
  ];

  test.each(lost)(
    'a change with an etag that was carried out is no refusal for its own etag (%s)',
    async (fault) => {
      for (const body of [{ summary: 'After' }, { summary: 'After', attendees: guests }]) {
        const { id, etag } = await front.gateway.make();
        const answer = await whileWrong(
          [fault],
          () => front.gateway.patch(id, body, { ifMatch: etag, sendUpdates: 'all' }),
          { of: /patch/ },
        );
        expect([answer.problems, answer.event?.etag, doneTo(id).map(({ method }) => method)]).toEqual([
          [],
          kept(id)?.etag,
          ['events.insert', 'events.patch'],
        ]);
      }
    },
  );

  test.each<[string, object, string, readonly string[]]>([
    ['', {}, 'After', []],
    [', and changed by another meanwhile', { meanwhile: true }, 'Between', ['UNAVAILABLE outcomeUnknown']],
  ])(
    'a change of guests without an etag that was carried out%s tells them once',
    async (_name, { meanwhile }: { meanwhile?: boolean }, summary, problems) => {
      const { id } = await front.gateway.make();
      front.services.wrong.next(['reset when it is done'], {
        of: /patch/,
        ...(meanwhile && {
          meanwhile: () => front.services.events.change(alice, id, { summary: 'Between' }),
        }),
      });
      const answer = await front.gateway.patch(
        id,
        { summary: 'After', attendees: guests },
        { sendUpdates: 'all' },
      );
      expect([answer.problems, kept(id)?.summary, doneTo(id).filter(({ told }) => told.length > 0)]).toEqual([
        problems,
        summary,
        [expect.anything()],
      ]);
    },
  );

  test('of a lost change whose event others changed again nobody says that it was not carried out', async () => {
    for (const body of [{ summary: 'After' }, { summary: 'After', attendees: guests }]) {
      const { id, etag } = await front.gateway.make();
      front.services.wrong.next(['reset when it is done'], {
        of: /patch/,
        meanwhile: () => front.services.events.change(alice, id, { summary: 'Between' }),
      });
      const answer = await front.gateway.patch(id, body, { ifMatch: etag });
      expect([answer.problems, kept(id)?.summary]).toEqual([['UNAVAILABLE outcomeUnknown'], 'Between']);
    }
  });

  test.each<[FaultName, readonly string[]]>([
    ['reset when it is done', []],
    ['reset before', ['PRECONDITION_FAILED ifMatch conditionNotMet']],
  ])(
    'a deletion that is refused for its etag behind an answer that was lost (%s) is done where the event is gone',
    async (fault, problems) => {
      const { id, etag } = await front.gateway.make();
      front.services.events.change(alice, id, { summary: 'Between' });
      const ifMatch = fault === 'reset before' ? etag : kept(id)?.etag;
      const answer = await whileWrong([fault, '412'], () => front.gateway.run(guarded, { id, ifMatch }), {
        of: /delete/,
      });
      expect(answer.problems).toEqual(problems);
    },
  );

  test.each<[FaultName, number]>([
    ['429', 330],
    ['429 with Retry-After', 2000],
    ['503 with Retry-After', 1000],
  ])('behind %s there is a pause of %i ms', async (fault, least) => {
    const id = await make();
    const before = front.paused();
    await whileWrong([fault], () => front.gateway.read(id));
    expect(front.paused() - before).toBeCloseTo(least, 0);
  });

  test('an event that was made, and then cannot be read, is no conflict', async () => {
    const answer = await whileWrong(
      ['reset when it is done', 'nothing', '500'],
      () => front.gateway.insert({ ...hour, summary: 'Made' }),
      { of: /insert|get/, ever: true },
    );
    expect(answer.problems).toEqual(['UNAVAILABLE outcomeUnknown']);
  });

  test.each(['', ' '])('an empty etag (%j) is not met', async (ifMatch) => {
    const id = await make();
    for (const body of [{ summary: 'After' }, { attendees: guests }])
      expect((await front.gateway.patch(id, body, { ifMatch })).problems).toEqual([
        'PRECONDITION_FAILED ifMatch conditionNotMet',
      ]);
    expect(kept(id)?.summary).toBe('Before');
  });

  test('412 is told with the present etag', async () => {
    const { id, etag } = await front.gateway.make();
    await front.gateway.change(id, { summary: 'Between' });
    const answer = await front.gateway.patch(id, { summary: 'After' }, { ifMatch: etag });
    expect([answer.problems, extensions(answer).etag, kept(id)?.summary]).toEqual([
      ['PRECONDITION_FAILED ifMatch conditionNotMet'],
      kept(id)?.etag,
      'Between',
    ]);
  });

  test('a token that is refused in the middle is asked about anew', async () => {
    const id = await make();
    const asked = front.services.tokensAsked();
    expect((await whileWrong(['401'], () => front.gateway.read(id))).problems).toEqual([
      'UNAUTHENTICATED authError',
    ]);
    expect((await front.gateway.read(id)).problems).toEqual([]);
    expect(front.services.tokensAsked()).toBe(asked + 1);
  });

  test('an answer that takes longer than there is time left is given up', async () => {
    const id = await make();
    // What the pause leaves of the time is less than the answer takes.
    const answer = await whileWrong(['429 for nine seconds', 'slow'], () => front.gateway.read(id));
    expect(answer.problems).toEqual(['UNAVAILABLE backendError']);
  });

  test('a service that is away is left alone after five failures, and tried again later', async () => {
    const id = await make();
    for (let count = 0; count < 5; count += 1)
      await whileWrong(['503'], () => front.gateway.read(id), { ever: true });
    front.services.wrong.none();
    front.services.called.length = 0;
    expect((await front.gateway.read(id)).problems).toEqual(['UNAVAILABLE backendError']);
    expect(front.services.called).toEqual([]);
    front.later();
    expect((await front.gateway.read(id)).problems).toEqual([]);
  });
});
