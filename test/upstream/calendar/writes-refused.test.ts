import { AppError } from '../../../src/core/errors.ts';
import type { Call } from '../../../src/upstream/client/exchange.ts';
import { alice, bad, bob, hour, type Controls, type Outcome } from '../../event/event.harness.ts';
import { refusal, refuse, useFront, type Between } from './upstream.harness.ts';

const unknown = new AppError('UNAVAILABLE', 'outcomeUnknown', 'Nobody knows.');
const isWrite = ({ verb }: Call): boolean => verb !== 'GET';

/** Refuses the first writes; reads go through. */
const refuseWrites = (error: Error, times = Infinity): Between => {
  let left = times;
  return (call, through) => (isWrite(call) && left-- > 0 ? Promise.reject(error) : through());
};
/** Carries out the first write, and answers it with an error. */
const loseAnswer = (error: Error): Between => {
  let lost = false;
  return async (call, through) => {
    const reply = await through();
    if (!isWrite(call) || lost) return reply;
    lost = true;
    throw error;
  };
};

const summary = 'S';
const notMet = ['PRECONDITION_FAILED ifMatch conditionNotMet'];
const isUnknown = ['UNAVAILABLE outcomeUnknown'];

describe('a write that the calendar service refuses or loses', () => {
  const { service, front } = useFront();

  const guests = { attendees: [{ email: alice }, { email: bob }] };
  async function make(body: object = {}): Promise<string> {
    const { id } = await service.make(body);
    front.asked();
    return id;
  }
  const messageOf = ({ errors }: Outcome) => errors?.[0]?.extensions.issues[0]?.message ?? '';
  const etagOf = ({ errors }: Outcome) => errors?.[0]?.extensions.etag;
  const problemsOf = async (between: Between, run: () => Promise<Outcome>): Promise<readonly string[]> => {
    front.between(between);
    return (await run()).problems;
  };

  test.each([
    [400, 'timeRangeEmpty', '', 'BAD_USER_INPUT event.end timeRangeEmpty'],
    ...[
      ['overrides', 'eventRemindersCountExceedsLimit'],
      ['useDefault', 'cannotUseDefaultRemindersAndSpecifyOverride'],
    ].map(
      ([at, reason]) => [400, `${reason}`, '', `BAD_USER_INPUT event.reminders.${at} ${reason}`] as const,
    ),
    [400, 'required', 'reminders.overrides[0].minutes', bad('reminders.overrides.0.minutes', 'required')],
    [400, 'invalid', 'hangoutLink', 'BAD_USER_INPUT event.callLink invalid'],
    [400, 'invalid', 'extendedProperties.private.a', bad('extendedProperties.private.a', 'invalid')],
    [400, 'badRequest', 'nonsense.here', 'BAD_USER_INPUT event invalid'],
    [400, 'invalid', '', 'BAD_USER_INPUT event invalid'],
    [403, 'forbiddenForNonOrganizer', '', 'FORBIDDEN event forbiddenForNonOrganizer'],
    [403, 'forbiddenForNonOrganizer', 'summary', 'FORBIDDEN event.summary forbiddenForNonOrganizer'],
    [403, 'insufficientPermissions', '', 'FORBIDDEN insufficientScope'],
    [403, 'requiredAccessLevel', '', 'FORBIDDEN calendarId forbidden'],
    [403, 'calendarUsageLimits', '', 'FORBIDDEN calendarId forbidden'],
    [404, 'notFound', '', 'NOT_FOUND eventId notFound'],
    [404, 'notFound', 'calendarId', 'NOT_FOUND calendarId notFound'],
    [410, 'deleted', '', 'NOT_FOUND eventId notFound'],
    [413, 'uploadTooLarge', '', 'BAD_USER_INPUT event invalid'],
    [414, '', '', 'BAD_USER_INPUT eventId tooLong'],
    [418, 'teapot', '', 'UNAVAILABLE backendError'],
  ] as const)('with %i %s (location %j) is %s', async (status, reason, location, problem) => {
    const id = await make();
    const error = refusal(status, reason, 'Bad.', location);
    expect(await problemsOf(refuseWrites(error), () => front.patch(id, { summary }))).toEqual([problem]);
  });

  test('tells of a sequence by the words of the service', async () => {
    const id = await make();
    const words = 'Invalid sequence value. The specified one is below the current.';
    expect(
      await problemsOf(refuseWrites(refusal(400, 'invalid', words)), () => front.patch(id, { summary })),
    ).toEqual(['BAD_USER_INPUT event.sequence invalid']);
  });

  test("says the service's own words, shortened and without addresses, where no rule knows better", async () => {
    const id = await make();
    front.between(refuse(400, 'invalid', `Not with ${bob} ${'x'.repeat(400)}`));
    const message = messageOf(await front.patch(id, { summary }));
    expect(message).toMatch(/^The calendar service refused this: Not with … x+$/);
    expect(message.length).toBeLessThan(260);
  });

  test.each([
    ['<p>Not <a href="https://a.example/x?token=1">this</a> &lt;event&gt;</p>', 'Not this event'],
    ['<html><script>alert(1)</script>', 'alert(1)'],
    ['See https://console.example.com/iam?project=my-1 or 10.0.0.7:8080.', 'See … or ….'],
    ['Bearer ya29.secret is not it', '… is not it'],
    [`Of AIzaSyD-${'a1'.repeat(16)}, no`, 'Of …, no'],
    ['One\r\nline\u0000 \u202eonly', 'One line only'],
  ])('says nothing of addresses, tokens and markup: %j', async (words, said) => {
    const id = await make();
    front.between(refuse(400, 'invalid', words));
    expect(messageOf(await front.patch(id, { summary }))).toBe(`The calendar service refused this: ${said}`);
    front.between(refuse(400, 'invalid', words));
    expect((await front.read(id)).errors?.[0]?.extensions.issues[0]?.message).toBe(said);
  });

  test('is explained by the rules, where the service only calls it invalid', async () => {
    const id = await make();
    const patch = () => front.patch(id, { iCalUID: 'other' });
    expect(await problemsOf(refuseWrites(refusal(400, 'invalid', 'Invalid Value')), patch)).toEqual([
      'BAD_USER_INPUT event.iCalUID immutable',
    ]);
    // An event that cannot be read explains nothing, and a missing right has nothing to do with the body.
    expect(await problemsOf(refuse(400, 'invalid'), patch)).toEqual(['BAD_USER_INPUT event invalid']);
    expect(await problemsOf(refuseWrites(refusal(403, 'forbidden')), patch)).toEqual([
      'FORBIDDEN calendarId forbidden',
    ]);
  });

  test('is handed on where the service could not decide it', async () => {
    const id = await make(guests);
    front.between(() => Promise.reject(new AppError('UNAVAILABLE', 'backendError', 'The service is away.')));
    for (const run of [
      () => front.patch(id, { summary }),
      () => front.patch(id, { attendees: [] }),
      () => front.insert(hour),
      () => front.remove(id),
    ])
      expect((await run()).problems).toEqual(['UNAVAILABLE backendError']);
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
      expect([event.summary, event.attendees.length]).toEqual(['By another 2', 1]);
      expect(front.asked()).toBe('get patch get patch get patch');
      expect(await problemsOf(refuseWrites(refusal(412)), () => front.patch(id, { attendees: [] }))).toEqual([
        'UNAVAILABLE backendError',
      ]);
      expect(front.made().filter(isWrite)).toHaveLength(6);
    });

    test.each(['"old"', '', ' *', ' ', 'nothing', '"old", *'])(
      'that the event does not have tells the present one: %j',
      async (ifMatch) => {
        const id = await make(guests);
        const { etag } = await service.on(alice, id);
        const outcomes = [
          await front.patch(id, { summary }, { ifMatch }),
          await front.patch(id, { attendees: [] }, { ifMatch }),
          await front.remove(id, { ifMatch }),
        ];
        for (const outcome of outcomes) expect([outcome.problems, etagOf(outcome)]).toEqual([notMet, etag]);
        expect(messageOf(await service.patch(id, { summary }, { ifMatch }))).toBe(
          messageOf(outcomes[0] as Outcome),
        );
      },
    );

    test('that the event has again, or that the service does not tell, is not met', async () => {
      const id = await make(guests);
      const { etag: ifMatch } = await service.on(alice, id);
      const remove = () => front.remove(id, { ifMatch });
      expect(
        await problemsOf(refuseWrites(refusal(412)), () => front.patch(id, { summary }, { ifMatch })),
      ).toEqual(notMet);
      const answering =
        (read: () => Promise<{ status: number; body: object }>): Between =>
        (call) =>
          isWrite(call) ? Promise.reject(refusal(412)) : read();
      expect(
        await problemsOf(
          answering(async () => ({ status: 200, body: {} })),
          remove,
        ),
      ).toEqual(notMet);
      expect(
        await problemsOf(
          answering(() => Promise.reject(refusal(404))),
          remove,
        ),
      ).toEqual(['NOT_FOUND eventId notFound']);
    });

    test('goes along with the one that was read, else with the one that was given', async () => {
      const id = await make(guests);
      const { etag } = await service.on(alice, id);
      await front.patch(id, { summary }, { ifMatch: etag });
      const { etag: now } = await service.on(alice, id);
      await front.patch(id, { attendees: [{ email: bob }] });
      await front.patch(id, { summary: 'T' }, { sendNotifications: true });
      await front.remove(id, { ifMatch: '*', sendUpdates: 'all' });
      const writes = front.made().filter(isWrite);
      expect(
        writes.map(({ ifMatch, repeatable, query }) => [ifMatch, repeatable, query?.sendUpdates]),
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
    const loseEverything: Between = () => Promise.reject(unknown);

    test.each<[string, Between, Controls, readonly string[], string]>([
      ['is done where the event shows it', loseAnswer(unknown), all, [], 'patch get'],
      ['is sent again where nobody is told of it', refuseWrites(unknown, 1), {}, [], 'patch get patch'],
      ['is sent again once', refuseWrites(unknown, 2), {}, isUnknown, 'patch get patch get'],
      ['stays so where guests might be told twice', refuseWrites(unknown, 1), all, isUnknown, 'patch get'],
      ['stays so where the event cannot be read', loseEverything, {}, isUnknown, 'patch get'],
    ])('%s', async (_name, between, options, problems, calls) => {
      const id = await make(guests);
      front.between(between);
      const outcome = await front.patch(id, { summary: 'New', description: null }, options);
      expect([outcome.problems, front.asked()]).toEqual([problems, calls]);
      if (problems.length === 0)
        expect([outcome.event.summary, (await service.on(alice, id)).summary]).toEqual(['New', 'New']);
    });

    test('is a change of guests where the event shows it, and stays so where it shows another', async () => {
      const attendeeChanges = { add: [{ email: 'eve@example.com' }] };
      for (const [meanwhile, problems] of [
        [async () => undefined, []],
        [(id: string) => service.change(id, { attendees: [{ email: alice }] }), isUnknown],
      ] as const) {
        const id = await make(guests);
        const lost = [Object.assign(refusal(412), { again: true })];
        front.between(async (call, through) => {
          const reply = await through();
          const error = isWrite(call) ? lost.pop() : undefined;
          if (!error) return reply;
          await meanwhile(id);
          throw error;
        });
        expect((await front.patch(id, {}, { ...all, attendeeChanges })).problems).toEqual(problems);
        // Guests are told once.
        expect(front.asked()).toBe('get patch get');
      }
    });

    test('is a delete where the event is gone', async () => {
      const id = await make();
      front.between(loseAnswer(unknown));
      expect([(await front.remove(id, all)).event, front.asked()]).toEqual([true, 'delete get']);
      front.between((call) => Promise.reject(isWrite(call) ? unknown : refusal(410)));
      expect((await front.remove(id, all)).event).toBe(true);
      front.between(refuseWrites(unknown));
      expect((await front.remove(await make(), all)).problems).toEqual(isUnknown);
    });

    test.each([{ id: 'chosen' }, { iCalUID: 'named@example.com' }])(
      'is an insert where the event of that name is there and is the same: %j',
      async (name) => {
        const insert = (title: string) => front.insert({ ...hour, ...name, summary: title });
        expect(await problemsOf(refuseWrites(unknown), () => insert(summary))).toEqual(isUnknown);
        front.between(loseAnswer(unknown));
        expect((await insert(summary)).event).toMatchObject({ summary, ...name });
        expect(await problemsOf(refuseWrites(unknown), () => insert('Another'))).toEqual(isUnknown);
      },
    );
  });
});
