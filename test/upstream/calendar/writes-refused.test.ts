import type { Fields } from '../../../src/core/json.ts';
import { AppError } from '../../../src/core/errors.ts';
import { type Call, isReading } from '../../../src/upstream/client/http-exchange.ts';
import { alice, problemAt, bob, oneHour, type Controls, type Outcome } from '../../event/event.harness.ts';
import { refusal, refuseWith, useFront, type Interceptor } from './upstream.harness.ts';

const outcomeUnknownError = new AppError('UNAVAILABLE', 'outcomeUnknown', 'Nobody knows.');
const isWrite = (call: Call): boolean => !isReading(call);

/** Fails the first `maxRefusals` writes with an error, before the service gets them; reads go through. */
const refuseWrites = (error: Error, maxRefusals = Infinity): Interceptor => {
  let refusalsLeft = maxRefusals;
  return (call, through) => (isWrite(call) && refusalsLeft-- > 0 ? Promise.reject(error) : through());
};
/** Lets the first write through, and loses its response. */
const loseFirstResponse = (error: Error): Interceptor => {
  let isLost = false;
  return async (call, through) => {
    const reply = await through();
    if (!isWrite(call) || isLost) return reply;
    isLost = true;
    throw error;
  };
};

const summary = 'S';
const notMetProblems = ['PRECONDITION_FAILED ifMatch conditionNotMet'];
const unknownProblems = ['UNAVAILABLE outcomeUnknown'];

describe('a write that the calendar service refuses or loses', () => {
  const { service, front } = useFront();

  const guests = { attendees: [{ email: alice }, { email: bob }] };
  async function makeEvent(body: object = {}): Promise<string> {
    const { id } = await service.makeEvent(body);
    front.takeMethods();
    return id;
  }
  const messageOf = ({ errors }: Outcome) => errors?.[0]?.extensions.issues[0]?.message ?? '';
  const etagOf = ({ errors }: Outcome) => errors?.[0]?.extensions.etag;
  const problemsOf = async (
    interceptor: Interceptor,
    run: () => Promise<Outcome>,
  ): Promise<readonly string[]> => {
    front.intercept(interceptor);
    return (await run()).problems;
  };

  test.each([
    [400, 'timeRangeEmpty', '', 'BAD_USER_INPUT event.end timeRangeEmpty'],
    ...[
      ['overrides', 'eventRemindersCountExceedsLimit'],
      ['useDefault', 'cannotUseDefaultRemindersAndSpecifyOverride'],
    ].map(
      ([field, reason]) =>
        [400, `${reason}`, '', `BAD_USER_INPUT event.reminders.${field} ${reason}`] as const,
    ),
    [
      400,
      'required',
      'reminders.overrides[0].minutes',
      problemAt('reminders.overrides.0.minutes', 'required'),
    ],
    [400, 'invalid', 'hangoutLink', 'BAD_USER_INPUT event.callLink invalid'],
    [400, 'invalid', 'extendedProperties.private.a', problemAt('extendedProperties.private.a', 'invalid')],
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
    const id = await makeEvent();
    const error = refusal(status, reason, 'Bad.', location);
    expect(await problemsOf(refuseWrites(error), () => front.patch(id, { summary }))).toEqual([problem]);
  });

  test("recognizes a refused sequence by the service's message", async () => {
    const id = await makeEvent();
    const message = 'Invalid sequence value. The specified one is below the current.';
    expect(
      await problemsOf(refuseWrites(refusal(400, 'invalid', message)), () => front.patch(id, { summary })),
    ).toEqual(['BAD_USER_INPUT event.sequence invalid']);
  });

  test("reports the service's message, shortened and without addresses, if no rule explains the refusal", async () => {
    const id = await makeEvent();
    front.intercept(refuseWith(400, 'invalid', `Not with ${bob} ${'x'.repeat(400)}`));
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
  ])('removes addresses, tokens and markup from a message: %j', async (message, sanitized) => {
    const id = await makeEvent();
    front.intercept(refuseWith(400, 'invalid', message));
    expect(messageOf(await front.patch(id, { summary }))).toBe(
      `The calendar service refused this: ${sanitized}`,
    );
    front.intercept(refuseWith(400, 'invalid', message));
    expect((await front.read(id)).errors?.[0]?.extensions.issues[0]?.message).toBe(sanitized);
  });

  test('is explained by the rules if the service only says invalid', async () => {
    const id = await makeEvent();
    const patch = () => front.patch(id, { iCalUID: 'other' });
    expect(await problemsOf(refuseWrites(refusal(400, 'invalid', 'Invalid Value')), patch)).toEqual([
      'BAD_USER_INPUT event.iCalUID immutable',
    ]);
    // Rules need the event, and do not explain a missing permission.
    expect(await problemsOf(refuseWith(400, 'invalid'), patch)).toEqual(['BAD_USER_INPUT event invalid']);
    expect(await problemsOf(refuseWrites(refusal(403, 'forbidden')), patch)).toEqual([
      'FORBIDDEN calendarId forbidden',
    ]);
  });

  test('is passed on if the service is unavailable', async () => {
    const id = await makeEvent(guests);
    front.intercept(() =>
      Promise.reject(new AppError('UNAVAILABLE', 'backendError', 'The service is away.')),
    );
    for (const run of [
      () => front.patch(id, { summary }),
      () => front.patch(id, { attendees: [] }),
      () => front.insert(oneHour),
      () => front.deleteEvent(id),
    ])
      expect((await run()).problems).toEqual(['UNAVAILABLE backendError']);
  });

  describe('because of an etag', () => {
    test('is retried from a new read, six times at most', async () => {
      const id = await makeEvent(guests);
      let otherChanges = 0;
      front.intercept(async (call, through) => {
        // Another writer changes the event between the read and the write.
        if (isWrite(call) && otherChanges < 2)
          await service.changeEvent(id, { summary: `By another ${(otherChanges += 1)}` });
        return through();
      });
      const { event } = await front.patch(id, { attendees: [{ email: alice }] });
      expect([event.summary, event.attendees.length]).toEqual(['By another 2', 1]);
      expect(front.takeMethods()).toBe('get patch get patch get patch');
      expect(await problemsOf(refuseWrites(refusal(412)), () => front.patch(id, { attendees: [] }))).toEqual([
        'UNAVAILABLE backendError',
      ]);
      expect(front.takeCalls().filter(isWrite)).toHaveLength(6);
    });

    test.each(['"old"', '', ' *', ' ', 'nothing', '"old", *'])(
      'that the event does not have reports the current etag: %j',
      async (ifMatch) => {
        const id = await makeEvent(guests);
        const { etag } = await service.readOn(alice, id);
        const outcomes = [
          await front.patch(id, { summary }, { ifMatch }),
          await front.patch(id, { attendees: [] }, { ifMatch }),
          await front.deleteEvent(id, { ifMatch }),
        ];
        for (const outcome of outcomes)
          expect([outcome.problems, etagOf(outcome)]).toEqual([notMetProblems, etag]);
        expect(messageOf(await service.patch(id, { summary }, { ifMatch }))).toBe(
          messageOf(outcomes[0] as Outcome),
        );
      },
    );

    test('is not met if the etag matches again or the service sends none', async () => {
      const id = await makeEvent(guests);
      const { etag: ifMatch } = await service.readOn(alice, id);
      const deleteWithEtag = () => front.deleteEvent(id, { ifMatch });
      expect(
        await problemsOf(refuseWrites(refusal(412)), () => front.patch(id, { summary }, { ifMatch })),
      ).toEqual(notMetProblems);
      const refuseWritesAndRead =
        (read: () => Promise<object>): Interceptor =>
        (call) =>
          isWrite(call) ? Promise.reject(refusal(412)) : (read() as Promise<Fields>);
      expect(
        await problemsOf(
          refuseWritesAndRead(async () => ({})),
          deleteWithEtag,
        ),
      ).toEqual(notMetProblems);
      expect(
        await problemsOf(
          refuseWritesAndRead(() => Promise.reject(refusal(404))),
          deleteWithEtag,
        ),
      ).toEqual(['NOT_FOUND eventId notFound']);
    });

    test('sends the etag that was read, else the given one', async () => {
      const id = await makeEvent(guests);
      const { etag } = await service.readOn(alice, id);
      await front.patch(id, { summary }, { ifMatch: etag });
      const { etag: etagAfter } = await service.readOn(alice, id);
      await front.patch(id, { attendees: [{ email: bob }] });
      await front.patch(id, { summary: 'T' }, { sendNotifications: true });
      await front.deleteEvent(id, { ifMatch: '*', sendUpdates: 'all' });
      const writes = front.takeCalls().filter(isWrite);
      expect(
        writes.map(({ ifMatch, repeatable, query }) => [ifMatch, repeatable, query?.sendUpdates]),
      ).toEqual([
        [etag, true, 'none'],
        [etagAfter, true, 'none'],
        [undefined, false, 'all'],
        [undefined, false, 'all'],
      ]);
    });
  });

  describe('whose outcome is unknown', () => {
    const notifyAll: Controls = { sendUpdates: 'all' };
    const loseAllCalls: Interceptor = () => Promise.reject(outcomeUnknownError);

    test.each<[string, Interceptor, Controls, readonly string[], string]>([
      [
        'is done if the event shows the change',
        loseFirstResponse(outcomeUnknownError),
        notifyAll,
        [],
        'patch get',
      ],
      ['is retried if nobody is notified', refuseWrites(outcomeUnknownError, 1), {}, [], 'patch get patch'],
      ['is retried once', refuseWrites(outcomeUnknownError, 2), {}, unknownProblems, 'patch get patch get'],
      [
        'stays unknown if guests might be notified twice',
        refuseWrites(outcomeUnknownError, 1),
        notifyAll,
        unknownProblems,
        'patch get',
      ],
      ['stays unknown if the event cannot be read', loseAllCalls, {}, unknownProblems, 'patch get'],
    ])('%s', async (_name, between, options, problems, calls) => {
      const id = await makeEvent(guests);
      front.intercept(between);
      const outcome = await front.patch(id, { summary: 'New', description: null }, options);
      expect([outcome.problems, front.takeMethods()]).toEqual([problems, calls]);
      if (problems.length === 0)
        expect([outcome.event.summary, (await service.readOn(alice, id)).summary]).toEqual(['New', 'New']);
    });

    test('of guests succeeds if the event shows the change, and stays unknown if it shows another one', async () => {
      const attendeeChanges = { add: [{ email: 'eve@example.com' }] };
      for (const [meanwhile, problems] of [
        [async () => undefined, []],
        [(id: string) => service.changeEvent(id, { attendees: [{ email: alice }] }), unknownProblems],
      ] as const) {
        const id = await makeEvent(guests);
        // The write is carried out, and then reported as refused with 412 after an earlier attempt.
        const errorsToThrow = [Object.assign(refusal(412), { hasEarlierAttempt: true })];
        front.intercept(async (call, through) => {
          const reply = await through();
          const error = isWrite(call) ? errorsToThrow.pop() : undefined;
          if (!error) return reply;
          await meanwhile(id);
          throw error;
        });
        expect((await front.patch(id, {}, { ...notifyAll, attendeeChanges })).problems).toEqual(problems);
        // A second patch would notify guests twice.
        expect(front.takeMethods()).toBe('get patch get');
      }
    });

    test('succeeds as a delete if the event is gone', async () => {
      const id = await makeEvent();
      front.intercept(loseFirstResponse(outcomeUnknownError));
      expect([(await front.deleteEvent(id, notifyAll)).event, front.takeMethods()]).toEqual([
        true,
        'delete get',
      ]);
      front.intercept((call) => Promise.reject(isWrite(call) ? outcomeUnknownError : refusal(410)));
      expect((await front.deleteEvent(id, notifyAll)).event).toBe(true);
      front.intercept(refuseWrites(outcomeUnknownError));
      expect((await front.deleteEvent(await makeEvent(), notifyAll)).problems).toEqual(unknownProblems);
    });

    test.each([{ id: 'chosen' }, { iCalUID: 'named@example.com' }])(
      'succeeds as an insert if an equal event with that id exists: %j',
      async (chosenId) => {
        const insert = (title: string) => front.insert({ ...oneHour, ...chosenId, summary: title });
        expect(await problemsOf(refuseWrites(outcomeUnknownError), () => insert(summary))).toEqual(
          unknownProblems,
        );
        front.intercept(loseFirstResponse(outcomeUnknownError));
        expect((await insert(summary)).event).toMatchObject({ summary, ...chosenId });
        expect(await problemsOf(refuseWrites(outcomeUnknownError), () => insert('Another'))).toEqual(
          unknownProblems,
        );
      },
    );
  });
});
