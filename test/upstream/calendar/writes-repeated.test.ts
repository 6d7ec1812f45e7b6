import { AppError } from '../../../src/core/errors.ts';
import { isReading } from '../../../src/upstream/client/http-exchange.ts';
import { alice, bob, eve, oneHour, zonedHour, type EventGateway } from '../../event/event.harness.ts';
import { refuseWith, startFront, startService, type Front } from './upstream.harness.ts';

describe('an insert through the calendar service', () => {
  let now = Date.UTC(2026, 11, 1);
  let serviceClockOffsetMs = 0;
  /** `peer` has the secret of `front`, `stranger` another one; ids of events depend on it. */
  let service: EventGateway, front: Front, peer: Front, stranger: Front;
  beforeAll(async () => {
    service = await startService(() => Date.now() + serviceClockOffsetMs);
    [front, peer, stranger] = await Promise.all([
      startFront(service, { clock: () => now }),
      startFront(service),
      startFront(service, { secret: 'another secret, of somebody else' }),
    ]);
  });
  afterAll(() => Promise.all([service, front, peer, stranger].map((gateway) => gateway.close())));
  afterEach(() => front.intercept(undefined));

  const duplicateProblems = (field: string) => [`CONFLICT event.${field} duplicate`];
  const reusedProblems = ['CONFLICT requestId requestIdReused'];
  const problemsOf = async (body: object, controls = {}): Promise<readonly string[]> =>
    (await front.insert(body, controls)).problems;

  test('without an id gets a valid one, and may be repeated', async () => {
    const { event } = await front.insert(oneHour);
    expect(event.id).toMatch(/^[a-v0-9]{26,}$/);
    await front.insert({ ...oneHour, id: 'chosen' });
    await front.insert({ ...oneHour, iCalUID: 'named@example.com' });
    expect(front.calls.map(({ body, repeatable }) => [(body as { id?: string }).id, repeatable])).toEqual([
      [event.id, true],
      ['chosen', false],
      [undefined, false],
    ]);
  });

  test('that already succeeded is answered with the stored event', async () => {
    front.intercept(async (call, through) => {
      const reply = await through();
      return isReading(call) ? reply : refuseWith(409, 'duplicate')(call, through);
    });
    const { problems, event } = await front.insert({ ...oneHour, summary: 'Once' });
    expect([problems, event.summary]).toEqual([[], 'Once']);
  });

  test('with an id or iCalUID in use is a conflict', async () => {
    for (const interceptor of [undefined, refuseWith(409, 'duplicate')]) {
      front.intercept(interceptor);
      expect(await problemsOf({ ...oneHour, id: 'chosen' })).toEqual(duplicateProblems('id'));
      expect(await problemsOf({ ...oneHour, iCalUID: 'named@example.com' })).toEqual(
        duplicateProblems('iCalUID'),
      );
    }
    // An event with a generated id exists, and cannot be read.
    expect(await problemsOf(oneHour)).toEqual(['UNAVAILABLE outcomeUnknown']);
  });

  test("that fails reports the calendar or the service's error", async () => {
    const notFound = ['NOT_FOUND calendarId notFound'];
    expect(await problemsOf(oneHour, { calendarId: 'nobody@example.com' })).toEqual(notFound);
    expect(await problemsOf(oneHour, { as: 'rita@example.com', calendarId: alice })).toEqual([
      'FORBIDDEN calendarId forbidden',
    ]);
    front.intercept(refuseWith(404, 'notFound'));
    expect(await problemsOf(oneHour)).toEqual(notFound);
    front.intercept(() => Promise.reject(new AppError('RATE_LIMITED', 'rateLimitExceeded', 'Later.')));
    expect(await problemsOf(oneHour)).toEqual(['RATE_LIMITED rateLimitExceeded']);
  });

  describe('with a requestId', () => {
    const requestIdOne = { requestId: 'one' };
    const body = { ...oneHour, summary: 'One' };

    test('makes one event per caller, through any gateway', async () => {
      const { id } = (await front.insert(body, requestIdOne)).event;
      for (const gateway of [front, peer])
        expect((await gateway.insert(body, requestIdOne)).event.id).toBe(id);
      expect((await front.insert(body, { ...requestIdOne, as: bob })).event.id).not.toBe(id);
      // Generated ids depend on the secret.
      expect((await stranger.insert(body, requestIdOne)).event.id).not.toBe(id);
    });

    test('of another input is a conflict, without a call if the gateway remembers the first request', async () => {
      front.takeMethods();
      expect(await problemsOf({ ...oneHour, summary: 'Two' }, requestIdOne)).toEqual(reusedProblems);
      expect(front.takeMethods()).toBe('');
      const restartedFront = await startFront(service);
      expect((await restartedFront.insert({ ...oneHour, summary: 'Two' }, requestIdOne)).problems).toEqual(
        reusedProblems,
      );
      expect(restartedFront.takeMethods()).toBe('insert get');
      await restartedFront.close();
    });

    test('gets the first response for a day from the same gateway, and the current event from others', async () => {
      const insert = (gateway: Front, summary = 'Three') =>
        gateway.insert({ ...oneHour, summary }, { requestId: 'three' });
      const { event } = await insert(front);
      front.takeMethods();
      serviceClockOffsetMs += 2000;
      await service.changeEvent(event.id, { summary: 'Changed' });
      expect([(await insert(front)).event, front.takeMethods()]).toEqual([event, '']);
      expect((await insert(peer)).event).toMatchObject({ id: event.id, summary: 'Changed' });
      now += 25 * 3_600_000;
      expect((await insert(front, 'Changed')).event.id).toBe(event.id);
    });

    test.each<[string, object]>([
      ['id', { id: 'both1' }],
      ['iCalUID', { iCalUID: 'both@example.com' }],
    ])(
      'together with a chosen %s is recognized by the same gateway, and is a conflict on others',
      async (field, chosenId) => {
        const insert = (gateway: Front, requestId = `both ${field}`) =>
          gateway.insert({ ...oneHour, ...chosenId }, { requestId });
        const { event } = await insert(front);
        expect((await insert(front)).event.id).toBe(event.id);
        for (const outcome of [
          await insert(front, 'another'),
          await insert(peer),
          await insert(peer, 'another'),
        ])
          expect(outcome.problems).toEqual(duplicateProblems(field));
      },
    );

    test('together with a chosen id makes one event if the first response was lost', async () => {
      const insert = (summary: string) =>
        front.insert({ ...oneHour, id: 'lost1', summary }, { requestId: 'lost' });
      front.intercept(async (call, through) => {
        if (call.apiMethod === 'events.insert') await through();
        throw new AppError('UNAVAILABLE', 'outcomeUnknown', 'Nobody knows.');
      });
      expect((await insert('S')).problems).toEqual(['UNAVAILABLE outcomeUnknown']);
      front.intercept(undefined);
      expect(await insert('S')).toMatchObject({ problems: [], event: { id: 'lost1', summary: 'S' } });
      expect((await insert('T')).problems).toEqual(reusedProblems);
    });

    test('is recognized by other gateways although the service rewrote the input', async () => {
      const requestId = 'five';
      const sentBody = {
        ...zonedHour,
        summary: 'Five ',
        attendees: [{ email: bob, displayName: 'B' }],
        recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU,WE'],
      };
      const rewrittenFields = {
        summary: 'Five',
        attendees: [{ email: alice }, { email: bob, displayName: 'Bob' }],
        recurrence: ['RRULE:BYDAY=WE,TU;FREQ=WEEKLY'],
      };
      front.intercept((call, through) => {
        const { id } = call.body as { readonly id: string };
        Object.assign(call, { body: { ...sentBody, ...rewrittenFields, id } });
        return through();
      });
      const emptyFields = { location: '', description: null };
      const { event } = await front.insert({ ...sentBody, ...emptyFields }, { requestId });
      expect((await peer.insert({ ...sentBody, ...emptyFields }, { requestId })).event).toMatchObject({
        id: event.id,
        summary: 'Five',
      });
      for (const change of [
        { summary: 'Six' },
        { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU'] },
        { start: { dateTime: '2026-12-01T09:01:00+01:00' } },
        { attendees: [{ email: eve }] },
      ])
        expect(
          (await peer.insert({ ...sentBody, ...emptyFields, ...change }, { requestId })).problems,
        ).toEqual(reusedProblems);
    });

    test('makes an instance once', async () => {
      const input = await instanceInput();
      const { event } = await front.insert(input, { requestId: 'instance' });
      expect((await front.insert(input, { requestId: 'instance' })).event).toEqual(event);
    });

    test('must be valid, and a dry run makes nothing', async () => {
      front.takeMethods();
      expect(await problemsOf(oneHour, { requestId: '' })).toEqual(['BAD_USER_INPUT requestId invalid']);
      expect(await problemsOf(oneHour, { requestId: 'four', validateOnly: true })).toEqual([]);
      expect(front.takeMethods()).toBe('');
      await front.insert(oneHour, { requestId: 'four' });
      const changedBody = { ...oneHour, summary: 'Other' };
      expect(await problemsOf(changedBody, { requestId: 'four', validateOnly: true })).toEqual(
        reusedProblems,
      );
    });
  });

  const instanceInput = async (): Promise<object> => ({
    recurringEventId: (await service.makeEvent({ ...zonedHour, recurrence: ['RRULE:FREQ=DAILY'] })).id,
    originalStartTime: { dateTime: '2026-12-02T09:00:00Z' },
    start: { dateTime: '2026-12-02T13:00:00+01:00' },
    end: { dateTime: '2026-12-02T14:00:00+01:00' },
    summary: 'One of many',
  });

  test('of an instance is sent unchanged', async () => {
    const body = { ...(await instanceInput()), kind: 'x' };
    front.takeMethods();
    const { problems, event } = await front.insert(body);
    expect([problems, event.summary, front.takeMethods()]).toEqual([[], 'One of many', 'insert']);
    expect(event.originalStartTime.dateTime).toContain('2026-12-02');
    expect(await problemsOf(body)).toEqual(duplicateProblems('originalStartTime'));
    expect(await problemsOf({ ...body, colorId: '12' })).toEqual(['BAD_USER_INPUT event.colorId invalid']);
    expect(await problemsOf({ ...body, recurringEventId: 'nothing' })).toEqual([
      'BAD_USER_INPUT event.recurringEventId invalid',
    ]);
  });

  test('of an instance is dry run against the instance that it changes', async () => {
    const body = await instanceInput();
    const dryRun = { validateOnly: true };
    front.takeMethods();
    const { problems, event } = await front.insert(body, dryRun);
    expect([problems, event.summary]).toEqual([[], 'One of many']);
    const start = { dateTime: '2027-01-01T10:00:00Z' };
    expect(await problemsOf({ ...body, sequence: 0, start }, dryRun)).toContain(
      'BAD_USER_INPUT event.end timeRangeEmpty',
    );
    expect(front.takeMethods()).toBe('get');
    expect(await problemsOf({ ...body, originalStartTime: { date: '2026-02-30' } }, dryRun)).toEqual([
      'BAD_USER_INPUT event.originalStartTime.date invalid',
    ]);
  });
});
