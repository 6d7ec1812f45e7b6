import { AppError } from '../../../src/core/kernel/errors.ts';
import { ServiceRefusal, type Call, type Reply } from '../../../src/upstream/client/call.ts';
import { alice, bob, hour, type Controls, type Outcome } from '../../event/event.harness.ts';
import type { EventGateway } from '../../event/event.harness.ts';
import type { Between } from '../call-over.ts';
import { startFront, startService, type Front } from './writes.harness.ts';

const refusal = (status: number, reason = '', words = '', location?: string): ServiceRefusal =>
  new ServiceRefusal(status, reason, words, location);
const unknown = new AppError('UNAVAILABLE', 'outcomeUnknown', 'Nobody knows.');
const away = new AppError('UNAVAILABLE', 'backendError', 'The service is away.');
const isWrite = ({ verb }: Call): boolean => verb !== 'GET';

/** Writes are refused; reads go through. */
const refuse =
  (error: Error): Between =>
  (call, through) =>
    isWrite(call) ? Promise.reject(error) : through();
/** The first write is carried out, and nobody hears of it. */
const loseAnswer = (error: Error): Between => {
  let lost = false;
  return async (call, through) => {
    const reply = await through();
    if (!isWrite(call) || lost) return reply;
    lost = true;
    throw error;
  };
};
/** The first writes never arrive. */
const loseCall = (error: Error, times = 1): Between => {
  let left = times;
  return (call, through) => (isWrite(call) && left-- > 0 ? Promise.reject(error) : through());
};
/** The service answers a write otherwise than it is stored. */
const answerWith =
  (change: object): Between =>
  async (call, through): Promise<Reply> => {
    const reply = await through();
    return isWrite(call) ? { ...reply, body: { ...(reply.body as object), ...change } } : reply;
  };

describe('a write that the calendar service refuses or loses', () => {
  let service: EventGateway, front: Front;
  beforeAll(async () => {
    service = await startService();
    front = await startFront(service);
  });
  afterAll(() => Promise.all([service, front].map((gateway) => gateway.close())));
  afterEach(() => front.between(undefined));

  const guests = { attendees: [{ email: alice }, { email: bob }] };
  async function make(body: object = {}): Promise<string> {
    const { id } = await service.make(body);
    front.asked();
    return id;
  }
  const saidBy = ({ problems, errors }: Outcome): readonly unknown[] => [
    ...problems,
    ...(errors ?? []).flatMap(({ extensions: { issues } }) => issues.map(({ message }) => message)),
  ];
  const problemsOf = async (error: Error, run: () => Promise<Outcome>): Promise<readonly string[]> => {
    front.between(refuse(error));
    return (await run()).problems;
  };

  test.each<[string, ServiceRefusal, string]>([
    ['an empty time range', refusal(400, 'timeRangeEmpty'), 'BAD_USER_INPUT event.end timeRangeEmpty'],
    [
      'too many reminders',
      refusal(400, 'eventRemindersCountExceedsLimit'),
      'BAD_USER_INPUT event.reminders.overrides eventRemindersCountExceedsLimit',
    ],
    [
      'reminders that contradict',
      refusal(400, 'cannotUseDefaultRemindersAndSpecifyOverride'),
      'BAD_USER_INPUT event.reminders.useDefault cannotUseDefaultRemindersAndSpecifyOverride',
    ],
    [
      'a sequence',
      refusal(400, 'invalid', 'Invalid sequence value. The specified one is below the current.'),
      'BAD_USER_INPUT event.sequence invalid',
    ],
    [
      'a named field',
      refusal(400, 'required', 'Missing.', 'reminders.overrides[0].minutes'),
      'BAD_USER_INPUT event.reminders.overrides.0.minutes required',
    ],
    [
      'a field of another name',
      refusal(400, 'invalid', 'Bad.', 'hangoutLink'),
      'BAD_USER_INPUT event.callLink invalid',
    ],
    [
      'an entry of a map',
      refusal(400, 'invalid', 'Bad.', 'extendedProperties.private.a'),
      'BAD_USER_INPUT event.extendedProperties.private.a invalid',
    ],
    [
      'no field that there is',
      refusal(400, 'badRequest', 'Bad.', 'nonsense.here'),
      'BAD_USER_INPUT event invalid',
    ],
    ['nothing', refusal(400, 'invalid', 'Invalid Value', ''), 'BAD_USER_INPUT event invalid'],
    [
      "a guest's change",
      refusal(403, 'forbiddenForNonOrganizer'),
      'FORBIDDEN event forbiddenForNonOrganizer',
    ],
    [
      "a guest's change of a field",
      refusal(403, 'forbiddenForNonOrganizer', '', 'summary'),
      'FORBIDDEN event.summary forbiddenForNonOrganizer',
    ],
    ['a missing scope', refusal(403, 'insufficientPermissions'), 'FORBIDDEN insufficientScope'],
    ['a missing right', refusal(403, 'requiredAccessLevel'), 'FORBIDDEN calendarId forbidden'],
    ['anything else', refusal(403, 'calendarUsageLimits'), 'FORBIDDEN calendarId forbidden'],
    ['what is not there', refusal(404, 'notFound'), 'NOT_FOUND eventId notFound'],
    [
      'a calendar that is not there',
      refusal(404, 'notFound', '', 'calendarId'),
      'NOT_FOUND calendarId notFound',
    ],
    ['what was deleted', refusal(410, 'deleted'), 'NOT_FOUND eventId notFound'],
    ['an id that is too long', refusal(414, ''), 'BAD_USER_INPUT eventId tooLong'],
    ['a body that is too large', refusal(413, 'uploadTooLarge'), 'BAD_USER_INPUT event invalid'],
    ['what no document says', refusal(418, 'teapot'), 'UNAVAILABLE backendError'],
  ])('for %s tells where and why', async (_name, error, problem) => {
    const id = await make();
    expect(await problemsOf(error, () => front.patch(id, { summary: 'S' }))).toEqual([problem]);
  });

  test("says the service's own words, without addresses, where no rule knows better", async () => {
    const id = await make();
    front.between(refuse(refusal(400, 'invalid', `Not with ${bob} ${'x'.repeat(400)}`)));
    const [problem, message] = saidBy(await front.patch(id, { summary: 'S' })) as [string, string];
    expect([problem, message.length < 260]).toEqual(['BAD_USER_INPUT event invalid', true]);
    expect(message).toMatch(/^The calendar service refused this: Not with … x+$/);
  });

  test('is explained by the rules, where the service only calls it invalid', async () => {
    const id = await make();
    const body = { start: { dateTime: '2027-01-01T10:00:00Z' }, iCalUID: 'other' };
    expect(await problemsOf(refusal(400, 'invalid', 'Invalid Value'), () => front.patch(id, body))).toEqual([
      'BAD_USER_INPUT event.iCalUID immutable',
      'BAD_USER_INPUT event.end timeRangeEmpty',
    ]);
    // An event that cannot be read explains nothing.
    front.between(() => Promise.reject(refusal(400, 'invalid')));
    expect((await front.patch(id, body)).problems).toEqual(['BAD_USER_INPUT event invalid']);
    // What a rule would say of the body is no reason for a missing right.
    expect(await problemsOf(refusal(403, 'forbidden'), () => front.patch(id, body))).toEqual([
      'FORBIDDEN calendarId forbidden',
    ]);
  });

  test('is handed on where it is none of the service', async () => {
    const id = await make(guests);
    for (const run of [
      () => front.patch(id, { summary: 'S' }),
      () => front.patch(id, { attendees: [] }),
      () => front.insert(hour),
      () => front.remove(id),
    ]) {
      front.between(() => Promise.reject(away));
      expect((await run()).problems).toEqual(['UNAVAILABLE backendError']);
    }
  });

  describe('for an etag', () => {
    test('is read and decided again, and given up after six tries', async () => {
      const id = await make(guests);
      let changes = 0;
      front.between(async (call, through) => {
        // Somebody else changes the event between the read and the write.
        if (isWrite(call) && changes < 2)
          await service.change(id, { summary: `By another ${(changes += 1)}` });
        return through();
      });
      const { event } = await front.patch(id, { attendees: [{ email: alice }] });
      expect([event.summary, event.attendees.length, front.asked()]).toEqual([
        'By another 2',
        1,
        ['get', 'patch', 'get', 'patch', 'get', 'patch'].map((name) => `events.${name}`),
      ]);
      expect(await problemsOf(refusal(412), () => front.patch(id, { attendees: [] }))).toEqual([
        'UNAVAILABLE backendError',
      ]);
      expect(front.asked()).toHaveLength(12);
    });

    test('tells the present one', async () => {
      const id = await make(guests);
      const { etag } = await service.on(alice, id);
      const outcomes = [
        await front.patch(id, { summary: 'S' }, { ifMatch: '"old"' }),
        await front.patch(id, { attendees: [] }, { ifMatch: '"old"' }),
        await front.remove(id, { ifMatch: '"old"' }),
      ];
      for (const { problems, errors } of outcomes)
        expect([problems, errors?.[0]?.extensions.etag]).toEqual([
          ['PRECONDITION_FAILED ifMatch conditionNotMet'],
          etag,
        ]);
      // It came back meanwhile, or the service does not tell it.
      expect(
        await problemsOf(refusal(412), () => front.patch(id, { summary: 'S' }, { ifMatch: etag })),
      ).toEqual(['PRECONDITION_FAILED ifMatch conditionNotMet']);
      front.between((call) =>
        isWrite(call) ? Promise.reject(refusal(412)) : Promise.resolve({ status: 200, body: {} }),
      );
      expect((await front.remove(id, { ifMatch: etag })).problems).toEqual([
        'PRECONDITION_FAILED ifMatch conditionNotMet',
      ]);
      front.between((call) => Promise.reject(isWrite(call) ? refusal(412) : refusal(404)));
      expect((await front.remove(id, { ifMatch: etag })).problems).toEqual(['NOT_FOUND eventId notFound']);
    });

    test.each(['', ' *', ' ', 'nothing', '"old", *'])(
      'that no event can have is no etag: %j',
      async (ifMatch) => {
        const id = await make({ summary: 'Before' });
        for (const run of [
          () => front.patch(id, { summary: 'S' }, { ifMatch }),
          () => front.remove(id, { ifMatch }),
        ]) {
          const { problems, errors } = await run();
          expect([problems, errors?.[0]?.extensions.etag]).toEqual([
            ['PRECONDITION_FAILED ifMatch conditionNotMet'],
            (await service.on(alice, id)).etag,
          ]);
        }
        expect(saidBy(await service.patch(id, { summary: 'S' }, { ifMatch }))).toEqual(
          saidBy(await front.patch(id, { summary: 'S' }, { ifMatch })),
        );
      },
    );

    test('goes along with the one that was read, else with the one that was given', async () => {
      const id = await make(guests);
      const { etag } = await service.on(alice, id);
      await front.patch(id, { summary: 'S' }, { ifMatch: etag });
      const { etag: now } = await service.on(alice, id);
      await front.patch(id, { attendees: [{ email: bob }] });
      await front.patch(id, { summary: 'T' }, { sendNotifications: true });
      await front.remove(id, { ifMatch: '*', sendUpdates: 'all' });
      expect(
        front.calls
          .slice(-5)
          .filter(isWrite)
          .map(({ ifMatch, repeatable, query }) => [ifMatch, repeatable, query?.sendUpdates]),
      ).toEqual([
        [etag, true, 'none'],
        [now, true, 'none'],
        [undefined, false, 'all'],
        [undefined, false, 'all'],
      ]);
    });
  });

  describe('whose outcome nobody knows', () => {
    const all: Controls = { sendUpdates: 'all' };

    test.each<[string, Between, Controls, readonly string[], string]>([
      ['is done where the event shows it', loseAnswer(unknown), all, [], 'patch get'],
      ['is sent again where nobody is told of it', loseCall(unknown), {}, [], 'patch get patch'],
      ['is sent again once', loseCall(unknown, 2), {}, ['UNAVAILABLE outcomeUnknown'], 'patch get patch get'],
      [
        'stays unknown where guests might be told twice',
        loseCall(unknown),
        all,
        ['UNAVAILABLE outcomeUnknown'],
        'patch get',
      ],
      [
        'stays unknown where the event cannot be read',
        () => Promise.reject(unknown),
        {},
        ['UNAVAILABLE outcomeUnknown'],
        'patch get',
      ],
    ])('%s', async (_name, between, options, problems, calls) => {
      const id = await make(guests);
      front.between(between);
      const outcome = await front.patch(id, { summary: 'New', description: null }, options);
      expect([outcome.problems, front.asked()]).toEqual([
        problems,
        calls.split(' ').map((call) => `events.${call}`),
      ]);
      if (problems.length === 0)
        expect([outcome.event.summary, (await service.on(alice, id)).summary]).toEqual(['New', 'New']);
    });

    test.each<[string, (id: string) => Promise<unknown>, readonly string[]]>([
      ['is done where the event shows it', () => Promise.resolve(), []],
      [
        'stays unknown where the event shows otherwise',
        (id) => service.change(id, { attendees: [{ email: alice }] }),
        ['UNAVAILABLE outcomeUnknown'],
      ],
    ])('of guests %s: they are told once', async (_name, meanwhile, problems) => {
      const id = await make(guests);
      const answers = [Object.assign(refusal(412), { again: true })];
      front.between(async (call, through) => {
        const reply = await through();
        const lost = isWrite(call) ? answers.pop() : undefined;
        if (!lost) return reply;
        await meanwhile(id);
        throw lost;
      });
      expect(
        (await front.patch(id, {}, { ...all, attendeeChanges: { add: [{ email: 'eve@example.com' }] } }))
          .problems,
      ).toEqual(problems);
      expect(front.asked()).toEqual(['events.get', 'events.patch', 'events.get']);
    });

    test('is a delete where the event is gone', async () => {
      const id = await make();
      front.between(loseAnswer(unknown));
      expect([(await front.remove(id, all)).event, front.asked()]).toEqual([
        true,
        ['events.delete', 'events.get'],
      ]);
      front.between((call) => Promise.reject(isWrite(call) ? unknown : refusal(410)));
      expect((await front.remove(id, all)).event).toBe(true);
      front.between(refuse(unknown));
      expect((await front.remove(await make(), all)).problems).toEqual(['UNAVAILABLE outcomeUnknown']);
    });

    test('is an insert where the event is there', async () => {
      front.between(loseAnswer(unknown));
      expect((await front.insert({ ...hour, id: 'chosen', summary: 'S' })).event.id).toBe('chosen');
      front.between(loseAnswer(unknown));
      expect(
        (await front.insert({ ...hour, iCalUID: 'named@example.com', summary: 'S' })).event.summary,
      ).toBe('S');
      // Another event of that name proves nothing.
      front.between(refuse(unknown));
      expect((await front.insert({ ...hour, id: 'chosen', summary: 'T' })).problems).toEqual([
        'UNAVAILABLE outcomeUnknown',
      ]);
      expect((await front.insert({ ...hour, iCalUID: 'nobody@example.com' })).problems).toEqual([
        'UNAVAILABLE outcomeUnknown',
      ]);
    });
  });

  describe('in part', () => {
    test('is refused where nothing that a guest sent was applied', async () => {
      const id = await make(guests);
      front.between((_call, through) =>
        through().catch(async () => ({ status: 200, body: await stored(id) })),
      );
      const outcome = await front.patch(id, { summary: 'S' }, { as: bob });
      expect(outcome.problems).toEqual(['FORBIDDEN event.summary forbiddenForNonOrganizer']);
    });

    test('is warned of where other parts were', async () => {
      const id = await make(guests);
      // A service that leaves out what guests may not change.
      front.between(
        async (call, through) => (
          await Promise.resolve(
            Object.assign(call, { body: { colorId: '5', extendedProperties: { private: { a: '1' } } } }),
          ),
          through()
        ),
      );
      const { notes, problems } = await front.patch(
        id,
        { summary: 'S', colorId: '5', extendedProperties: { private: { a: '1' }, shared: { b: '1' } } },
        { as: bob },
      );
      expect([problems, notes]).toEqual([
        [],
        ['event.summary ignored', 'event.extendedProperties.shared.b ignored'],
      ]);
    });

    test('is not what the organizer finds spelled otherwise', async () => {
      const id = await make();
      front.between(answerWith({ description: 'cleaned' }));
      expect(await front.patch(id, { description: '<b>cleaned' })).toMatchObject({
        problems: [],
        notes: [],
        event: { description: 'cleaned' },
      });
    });

    test('is not said of an event that is cancelled, which shows little', async () => {
      const id = await make(guests);
      front.between(async (call, through) => {
        await through();
        return {
          status: 200,
          body: { id, status: 'cancelled', etag: '"x"', organizer: { email: alice } },
          call,
        };
      });
      expect(await front.patch(id, { status: 'cancelled', summary: 'S' })).toMatchObject({
        problems: [],
        notes: [],
      });
    });

    const stored = async (id: string): Promise<object> =>
      JSON.parse(JSON.stringify(await service.on(bob, id))) as object;
  });
});
