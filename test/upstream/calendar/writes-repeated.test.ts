import { AppError } from '../../../src/core/errors.ts';
import { base32hex } from '../../../src/upstream/calendar/event-calls.ts';
import { alice, bob, eve, hour, zoned, type EventGateway } from '../../event/event.harness.ts';
import { refuse, startFront, startService, type Front } from './upstream.harness.ts';

describe('an insert through the calendar service', () => {
  let now = Date.UTC(2026, 11, 1);
  let later = 0;
  let service: EventGateway, front: Front, other: Front, stranger: Front;
  beforeAll(async () => {
    service = await startService(() => Date.now() + later);
    [front, other, stranger] = await Promise.all([
      startFront(service, { clock: () => now }),
      startFront(service),
      startFront(service, { secret: 'another secret, of somebody else' }),
    ]);
  });
  afterAll(() => Promise.all([service, front, other, stranger].map((gateway) => gateway.close())));
  afterEach(() => front.between(undefined));

  const duplicate = (field: string) => [`CONFLICT event.${field} duplicate`];
  const reused = ['CONFLICT requestId requestIdReused'];
  const problemsOf = async (body: object, controls = {}): Promise<readonly string[]> =>
    (await front.insert(body, controls)).problems;

  test('without a name gets one that a service takes, and may be sent again', async () => {
    const { event } = await front.insert(hour);
    expect(event.id).toMatch(/^[a-v0-9]{26,}$/);
    await front.insert({ ...hour, id: 'chosen' });
    await front.insert({ ...hour, iCalUID: 'named@example.com' });
    expect(front.calls.map(({ body, repeatable }) => [(body as { id?: string }).id, repeatable])).toEqual([
      [event.id, true],
      ['chosen', false],
      [undefined, false],
    ]);
  });

  test('that came through already is answered by what it made', async () => {
    front.between(async (call, through) => {
      const reply = await through();
      return call.verb === 'GET' ? reply : refuse(409, 'duplicate')(call, through);
    });
    const { problems, event } = await front.insert({ ...hour, summary: 'Once' });
    expect([problems, event.summary]).toEqual([[], 'Once']);
  });

  test('of a name that is taken is a conflict there', async () => {
    for (const between of [undefined, refuse(409, 'duplicate')]) {
      front.between(between);
      expect(await problemsOf({ ...hour, id: 'chosen' })).toEqual(duplicate('id'));
      expect(await problemsOf({ ...hour, iCalUID: 'named@example.com' })).toEqual(duplicate('iCalUID'));
    }
    // An event whose name was made here is there, and cannot be read.
    expect(await problemsOf(hour)).toEqual(['UNAVAILABLE outcomeUnknown']);
  });

  test('that cannot be made is told by the calendar', async () => {
    const notFound = ['NOT_FOUND calendarId notFound'];
    expect(await problemsOf(hour, { calendarId: 'nobody@example.com' })).toEqual(notFound);
    expect(await problemsOf(hour, { as: 'rita@example.com', calendarId: alice })).toEqual([
      'FORBIDDEN calendarId forbidden',
    ]);
    front.between(refuse(404, 'notFound'));
    expect(await problemsOf(hour)).toEqual(notFound);
    front.between(() => Promise.reject(new AppError('RATE_LIMITED', 'rateLimitExceeded', 'Later.')));
    expect(await problemsOf(hour)).toEqual(['RATE_LIMITED rateLimitExceeded']);
  });

  describe('with a requestId', () => {
    const once = { requestId: 'one' };
    const one = { ...hour, summary: 'One' };

    test('makes one event, whichever gateway is asked, for one caller', async () => {
      const { id } = (await front.insert(one, once)).event;
      for (const gateway of [front, other]) expect((await gateway.insert(one, once)).event.id).toBe(id);
      expect((await front.insert(one, { ...once, as: bob })).event.id).not.toBe(id);
      // Another secret, another name.
      expect((await stranger.insert(one, once)).event.id).not.toBe(id);
    });

    test('of another input is a conflict, for a gateway that remembers the first without a call', async () => {
      front.asked();
      expect(await problemsOf({ ...hour, summary: 'Two' }, once)).toEqual(reused);
      expect(front.asked()).toBe('');
      const forgetful = await startFront(service);
      expect((await forgetful.insert({ ...hour, summary: 'Two' }, once)).problems).toEqual(reused);
      expect(forgetful.asked()).toBe('insert get');
      await forgetful.close();
    });

    test('is answered as at first for a day by the gateway that made it, by others with the event as it is', async () => {
      const insert = (gateway: Front, summary = 'Three') =>
        gateway.insert({ ...hour, summary }, { requestId: 'three' });
      const { event } = await insert(front);
      front.asked();
      later += 2000;
      await service.change(event.id, { summary: 'Changed' });
      expect([(await insert(front)).event, front.asked()]).toEqual([event, '']);
      expect((await insert(other)).event).toMatchObject({ id: event.id, summary: 'Changed' });
      now += 25 * 3_600_000;
      expect((await insert(front, 'Changed')).event.id).toBe(event.id);
    });

    test.each<[string, object]>([
      ['id', { id: 'both1' }],
      ['iCalUID', { iCalUID: 'both@example.com' }],
    ])('beside an own %s is known where it was sent, and is a conflict elsewhere', async (field, name) => {
      const insert = (gateway: Front, requestId = `both ${field}`) =>
        gateway.insert({ ...hour, ...name }, { requestId });
      const { event } = await insert(front);
      expect((await insert(front)).event.id).toBe(event.id);
      for (const outcome of [
        await insert(front, 'another'),
        await insert(other),
        await insert(other, 'another'),
      ])
        expect(outcome.problems).toEqual(duplicate(field));
    });

    test('beside an own id is made once where the first answer was lost', async () => {
      const insert = (summary: string) =>
        front.insert({ ...hour, id: 'lost1', summary }, { requestId: 'lost' });
      front.between(async (call, through) => {
        if (call.verb === 'POST') await through();
        throw new AppError('UNAVAILABLE', 'outcomeUnknown', 'Nobody knows.');
      });
      expect((await insert('S')).problems).toEqual(['UNAVAILABLE outcomeUnknown']);
      front.between(undefined);
      expect(await insert('S')).toMatchObject({ problems: [], event: { id: 'lost1', summary: 'S' } });
      expect((await insert('T')).problems).toEqual(reused);
    });

    test('is the same input for other gateways although the service spells it otherwise', async () => {
      const requestId = 'five';
      const sent = {
        ...zoned,
        summary: 'Five ',
        attendees: [{ email: bob, displayName: 'B' }],
        recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU,WE'],
      };
      const spelled = {
        summary: 'Five',
        attendees: [{ email: alice }, { email: bob, displayName: 'Bob' }],
        recurrence: ['RRULE:BYDAY=WE,TU;FREQ=WEEKLY'],
      };
      front.between((call, through) => {
        const { id } = call.body as { readonly id: string };
        Object.assign(call, { body: { ...sent, ...spelled, id } });
        return through();
      });
      const empty = { location: '', description: null };
      const { event } = await front.insert({ ...sent, ...empty }, { requestId });
      expect((await other.insert({ ...sent, ...empty }, { requestId })).event).toMatchObject({
        id: event.id,
        summary: 'Five',
      });
      for (const change of [
        { summary: 'Six' },
        { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU'] },
        { start: { dateTime: '2026-12-01T09:01:00+01:00' } },
        { attendees: [{ email: eve }] },
      ])
        expect((await other.insert({ ...sent, ...empty, ...change }, { requestId })).problems).toEqual(
          reused,
        );
    });

    test('makes an instance once', async () => {
      const body = await instance();
      const { event } = await front.insert(body, { requestId: 'instance' });
      expect((await front.insert(body, { requestId: 'instance' })).event).toEqual(event);
    });

    test('is held against the rules, and a trial makes nothing', async () => {
      front.asked();
      expect(await problemsOf(hour, { requestId: '' })).toEqual(['BAD_USER_INPUT requestId invalid']);
      expect(await problemsOf(hour, { requestId: 'four', validateOnly: true })).toEqual([]);
      expect(front.asked()).toBe('');
      await front.insert(hour, { requestId: 'four' });
      const other = { ...hour, summary: 'Other' };
      expect(await problemsOf(other, { requestId: 'four', validateOnly: true })).toEqual(reused);
    });
  });

  const instance = async (): Promise<object> => ({
    recurringEventId: (await service.make({ ...zoned, recurrence: ['RRULE:FREQ=DAILY'] })).id,
    originalStartTime: { dateTime: '2026-12-02T09:00:00Z' },
    start: { dateTime: '2026-12-02T13:00:00+01:00' },
    end: { dateTime: '2026-12-02T14:00:00+01:00' },
    summary: 'One of many',
  });

  test('of an instance goes to the service as it is', async () => {
    const body = { ...(await instance()), kind: 'x' };
    front.asked();
    const { problems, event } = await front.insert(body);
    expect([problems, event.summary, front.asked()]).toEqual([[], 'One of many', 'insert']);
    expect(event.originalStartTime.dateTime).toContain('2026-12-02');
    expect(await problemsOf(body)).toEqual(duplicate('originalStartTime'));
    expect(await problemsOf({ ...body, colorId: '12' })).toEqual(['BAD_USER_INPUT event.colorId invalid']);
    expect(await problemsOf({ ...body, recurringEventId: 'nothing' })).toEqual([
      'BAD_USER_INPUT event.recurringEventId invalid',
    ]);
  });

  test('of an instance is tried on the instance that it changes', async () => {
    const body = await instance();
    const trial = { validateOnly: true };
    front.asked();
    const { problems, event } = await front.insert(body, trial);
    expect([problems, event.summary]).toEqual([[], 'One of many']);
    const start = { dateTime: '2027-01-01T10:00:00Z' };
    expect(await problemsOf({ ...body, sequence: 0, start }, trial)).toContain(
      'BAD_USER_INPUT event.end timeRangeEmpty',
    );
    expect(front.asked()).toBe('get');
    expect(await problemsOf({ ...body, originalStartTime: { date: '2026-02-30' } }, trial)).toEqual([
      'BAD_USER_INPUT event.originalStartTime.date invalid',
    ]);
  });

  test.each([
    ['', ''],
    ['f', 'co'],
    ['fo', 'cpng'],
    ['foobar', 'cpnmuoj1e8'],
  ])('has a name in the alphabet of RFC 4648: %j is %j', (text, name) => {
    expect(base32hex(Buffer.from(text))).toBe(name);
  });
});
