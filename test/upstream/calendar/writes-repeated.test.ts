import { AppError } from '../../../src/core/kernel/errors.ts';
import { base32hex } from '../../../src/upstream/calendar/request-ids.ts';
import { ServiceRefusal } from '../../../src/upstream/client/call.ts';
import { alice, bob, eve, hour, zoned, type EventGateway } from '../../event/event.harness.ts';
import { startFront, startService, type Front } from './writes.harness.ts';

describe('an insert through the calendar service', () => {
  const start = Date.UTC(2026, 11, 1);
  let now = start;
  let later = 0;
  let service: EventGateway, front: Front, other: Front, stranger: Front;
  beforeAll(async () => {
    service = await startService(undefined, () => Date.now() + later);
    [front, other, stranger] = await Promise.all([
      startFront(service, { clock: () => now }),
      startFront(service),
      startFront(service, { secret: 'another secret, of somebody else' }),
    ]);
  });
  afterAll(() => Promise.all([service, front, other, stranger].map((gateway) => gateway.close())));
  afterEach(() => front.between(undefined));

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
      if (call.verb === 'GET') return through();
      await through();
      throw new ServiceRefusal(409, 'duplicate', '', undefined);
    });
    expect(await front.insert({ ...hour, summary: 'Once' })).toMatchObject({
      problems: [],
      event: { summary: 'Once' },
    });
  });

  test('of a name that is taken is a conflict there', async () => {
    const conflicts = [
      (await front.insert({ ...hour, id: 'chosen' })).problems,
      (await front.insert({ ...hour, iCalUID: 'named@example.com' })).problems,
    ];
    front.between(() => Promise.reject(new ServiceRefusal(409, 'duplicate', '', undefined)));
    conflicts.push(
      (await front.insert({ ...hour, id: 'chosen' })).problems,
      (await front.insert({ ...hour, iCalUID: 'named@example.com' })).problems,
    );
    expect(conflicts).toEqual(
      ['id', 'iCalUID', 'id', 'iCalUID'].map((field) => [`CONFLICT event.${field} duplicate`]),
    );
    // Its name was made here: it is there, and cannot be read.
    expect((await front.insert(hour)).problems).toEqual(['UNAVAILABLE outcomeUnknown']);
  });

  test('that cannot be made is told by the calendar', async () => {
    expect((await front.insert(hour, { calendarId: 'nobody@example.com' })).problems).toEqual([
      'NOT_FOUND calendarId notFound',
    ]);
    expect((await front.insert(hour, { as: 'rita@example.com', calendarId: alice })).problems).toEqual([
      'FORBIDDEN calendarId forbidden',
    ]);
    front.between(() => Promise.reject(new ServiceRefusal(404, 'notFound', '', undefined)));
    expect((await front.insert(hour)).problems).toEqual(['NOT_FOUND calendarId notFound']);
    front.between(() => Promise.reject(new AppError('RATE_LIMITED', 'rateLimitExceeded', 'Later.')));
    expect((await front.insert(hour)).problems).toEqual(['RATE_LIMITED rateLimitExceeded']);
  });

  describe('with a requestId', () => {
    const once = { requestId: 'one' };

    test('makes one event, whichever gateway is asked, for one caller', async () => {
      const first = await front.insert({ ...hour, summary: 'One' }, once);
      for (const gateway of [front, other])
        expect((await gateway.insert({ summary: 'One', ...hour }, once)).event.id).toBe(first.event.id);
      expect((await front.insert({ ...hour, summary: 'One' }, { ...once, as: bob })).event.id).not.toBe(
        first.event.id,
      );
      // Another secret, another name.
      expect((await stranger.insert({ ...hour, summary: 'One' }, once)).event.id).not.toBe(first.event.id);
    });

    test('of another input is a conflict, for a gateway that remembers the first without a call', async () => {
      const reused = ['CONFLICT requestId requestIdReused'];
      front.asked();
      expect((await front.insert({ ...hour, summary: 'Two' }, once)).problems).toEqual(reused);
      expect(front.asked()).toEqual([]);
      const forgetful = await startFront(service);
      expect((await forgetful.insert({ ...hour, summary: 'Two' }, once)).problems).toEqual(reused);
      expect(forgetful.asked()).toEqual(['events.insert', 'events.get']);
      await forgetful.close();
    });

    test('is answered as at first for a day by the gateway that made it, by others with the event as it is', async () => {
      const insert = (gateway: Front) =>
        gateway.insert({ ...hour, summary: 'Three' }, { requestId: 'three' });
      const { event } = await insert(front);
      front.asked();
      later += 2000;
      await service.change(event.id, { summary: 'Changed' });
      expect([(await insert(front)).event, front.asked()]).toEqual([event, []]);
      expect((await insert(other)).event).toMatchObject({ id: event.id, summary: 'Changed' });
      now += 25 * 3_600_000;
      expect((await front.insert({ ...hour, summary: 'Changed' }, { requestId: 'three' })).event.id).toBe(
        event.id,
      );
    });

    test.each<[string, object]>([
      ['id', { id: 'both1' }],
      ['iCalUID', { iCalUID: 'both@example.com' }],
    ])(
      'beside an own %s is known where it was sent, and another event of that name is a conflict',
      async (field, name) => {
        const insert = (gateway: Front, requestId = `both ${field}`) =>
          gateway.insert({ ...hour, ...name }, { requestId });
        const { event } = await insert(front);
        expect((await insert(front)).event.id).toBe(event.id);
        const conflict = [`CONFLICT event.${field} duplicate`];
        expect([
          (await insert(front, 'another')).problems,
          (await insert(other)).problems,
          (await insert(other, 'another')).problems,
        ]).toEqual([conflict, conflict, conflict]);
      },
    );

    test('beside an own id is made once where the first answer was lost', async () => {
      const unknown = new AppError('UNAVAILABLE', 'outcomeUnknown', 'Nobody knows.');
      const insert = (summary: string) =>
        front.insert({ ...hour, id: 'lost1', summary }, { requestId: 'lost' });
      front.between(async (call, through) => {
        if (call.verb === 'POST') await through();
        throw unknown;
      });
      expect((await insert('S')).problems).toEqual(['UNAVAILABLE outcomeUnknown']);
      front.between(undefined);
      expect(await insert('S')).toMatchObject({ problems: [], event: { id: 'lost1', summary: 'S' } });
      expect((await insert('T')).problems).toEqual(['CONFLICT requestId requestIdReused']);
    });

    test('is the same input for other gateways although the service spells it otherwise', async () => {
      const sent = {
        ...zoned,
        summary: 'Five ',
        location: '',
        description: null,
        attendees: [{ email: bob, displayName: 'B' }],
        recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU,WE'],
      };
      const spelled = {
        summary: 'Five',
        attendees: [{ email: alice }, { email: bob, displayName: 'Bob' }],
        recurrence: ['RRULE:BYDAY=WE,TU;FREQ=WEEKLY'],
      };
      const { location: _location, description: _description, ...rest } = sent;
      front.between(
        (call, through) => (
          Object.assign(call, { body: { ...rest, ...spelled, id: (call.body as { id: string }).id } }),
          through()
        ),
      );
      const { event } = await front.insert(sent, { requestId: 'five' });
      expect((await other.insert(sent, { requestId: 'five' })).event).toMatchObject({
        id: event.id,
        summary: 'Five',
      });
      for (const change of [
        { summary: 'Six' },
        { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU'] },
        { start: { dateTime: '2026-12-01T09:01:00+01:00' } },
        { attendees: [{ email: eve }] },
      ]) {
        expect((await other.insert({ ...sent, ...change }, { requestId: 'five' })).problems).toEqual([
          'CONFLICT requestId requestIdReused',
        ]);
      }
    });

    test('makes an instance once', async () => {
      const { id } = await service.make({ ...zoned, recurrence: ['RRULE:FREQ=DAILY'] });
      const body = { ...hour, recurringEventId: id, originalStartTime: { dateTime: '2026-12-02T09:00:00Z' } };
      const insert = () => front.insert(body, { requestId: 'instance' });
      const { event } = await insert();
      expect((await insert()).event).toEqual(event);
    });

    test('is held against the rules, and a trial makes nothing', async () => {
      front.asked();
      expect((await front.insert(hour, { requestId: '' })).problems).toEqual([
        'BAD_USER_INPUT requestId invalid',
      ]);
      expect((await front.insert(hour, { requestId: 'four', validateOnly: true })).problems).toEqual([]);
      expect(front.asked()).toEqual([]);
    });
  });

  describe('of an instance', () => {
    const original = { dateTime: '2026-12-02T09:00:00Z' };
    const times = {
      start: { dateTime: '2026-12-02T13:00:00+01:00' },
      end: { dateTime: '2026-12-02T14:00:00+01:00' },
    };
    const instance = async (): Promise<object> => ({
      recurringEventId: (await service.make({ ...zoned, recurrence: ['RRULE:FREQ=DAILY'] })).id,
      originalStartTime: original,
      ...times,
    });

    test('goes to the service as it is', async () => {
      const body = { ...(await instance()), summary: 'One of many', kind: 'x' };
      front.asked();
      expect(await front.insert(body)).toMatchObject({
        problems: [],
        event: {
          summary: 'One of many',
          originalStartTime: { dateTime: expect.stringContaining('2026-12-02') },
        },
      });
      expect(front.asked()).toEqual(['events.insert']);
      expect((await front.insert(body)).problems).toEqual(['CONFLICT event.originalStartTime duplicate']);
      expect((await front.insert({ ...body, colorId: '12' })).problems).toEqual([
        'BAD_USER_INPUT event.colorId invalid',
      ]);
      expect((await front.insert({ ...body, recurringEventId: 'nothing' })).problems).toEqual([
        'BAD_USER_INPUT event.recurringEventId invalid',
      ]);
    });

    test('is tried on the instance that it changes', async () => {
      const body = { ...(await instance()), summary: 'One of many' };
      front.asked();
      expect(await front.insert(body, { validateOnly: true })).toMatchObject({
        problems: [],
        event: { summary: 'One of many' },
      });
      expect(
        (
          await front.insert(
            { ...body, sequence: 0, start: { dateTime: '2027-01-01T10:00:00Z' } },
            { validateOnly: true },
          )
        ).problems,
      ).toContain('BAD_USER_INPUT event.end timeRangeEmpty');
      expect(
        (await front.insert({ ...body, originalStartTime: { date: '2026-02-30' } }, { validateOnly: true }))
          .problems,
      ).toEqual(['BAD_USER_INPUT event.originalStartTime.date invalid']);
      expect(front.asked()).toEqual(['events.get']);
    });
  });

  test('has names in the alphabet of RFC 4648', () => {
    expect(['', 'f', 'fo', 'foobar'].map((text) => base32hex(Buffer.from(text)))).toEqual([
      '',
      'co',
      'cpng',
      'cpnmuoj1e8',
    ]);
  });
});
