import { AppError } from '../../../src/core/kernel/errors.ts';
import { base32hex } from '../../../src/upstream/calendar/request-ids.ts';
import { ServiceRefusal } from '../../../src/upstream/client/call.ts';
import { alice, bob, hour, zoned, type EventGateway } from '../../event/event.harness.ts';
import { startFront, startService, type Front } from './writes.harness.ts';

describe('an insert through the calendar service', () => {
  const start = Date.UTC(2026, 11, 1);
  let now = start;
  let service: EventGateway, front: Front, other: Front, stranger: Front;
  beforeAll(async () => {
    service = await startService();
    [front, other, stranger] = await Promise.all([startFront(service, { clock: () => now }), startFront(service), startFront(service, { secret: 'another secret, of somebody else' })]);
  });
  afterAll(() => Promise.all([service, front, other, stranger].map((gateway) => gateway.close())));
  afterEach(() => front.between(undefined));

  test('without a name gets one that a service takes, and may be sent again', async () => {
    const { event } = await front.insert(hour);
    expect(event.id).toMatch(/^[a-v0-9]{26,}$/);
    await front.insert({ ...hour, id: 'chosen' });
    await front.insert({ ...hour, iCalUID: 'named@example.com' });
    expect(front.calls.map(({ body, repeatable }) => [(body as { id?: string }).id, repeatable])).toEqual([[event.id, true], ['chosen', false], [undefined, false]]);
  });

  test('that came through already is answered by what it made', async () => {
    front.between(async (call, through) => {
      if (call.verb === 'GET') return through();
      await through();
      throw new ServiceRefusal(409, 'duplicate', '', undefined);
    });
    expect(await front.insert({ ...hour, summary: 'Once' })).toMatchObject({ problems: [], event: { summary: 'Once' } });
  });

  test('of a name that is taken is a conflict there', async () => {
    const conflicts = [
      (await front.insert({ ...hour, id: 'chosen' })).problems, (await front.insert({ ...hour, iCalUID: 'named@example.com' })).problems,
    ];
    front.between(() => Promise.reject(new ServiceRefusal(409, 'duplicate', '', undefined)));
    conflicts.push((await front.insert({ ...hour, id: 'chosen' })).problems, (await front.insert({ ...hour, iCalUID: 'named@example.com' })).problems);
    expect(conflicts).toEqual(['id', 'iCalUID', 'id', 'iCalUID'].map((field) => [`CONFLICT event.${field} duplicate`]));
    // Its name was made here: it is there, and cannot be read.
    expect((await front.insert(hour)).problems).toEqual(['UNAVAILABLE outcomeUnknown']);
  });

  test('that cannot be made is told by the calendar', async () => {
    expect((await front.insert(hour, { calendarId: 'nobody@example.com' })).problems).toEqual(['NOT_FOUND calendarId notFound']);
    expect((await front.insert(hour, { as: 'rita@example.com', calendarId: alice })).problems).toEqual(['FORBIDDEN calendarId forbidden']);
    front.between(() => Promise.reject(new ServiceRefusal(404, 'notFound', '', undefined)));
    expect((await front.insert(hour)).problems).toEqual(['NOT_FOUND calendarId notFound']);
    front.between(() => Promise.reject(new AppError('RATE_LIMITED', 'rateLimitExceeded', 'Later.')));
    expect((await front.insert(hour)).problems).toEqual(['RATE_LIMITED rateLimitExceeded']);
  });

  describe('with a requestId', () => {
    const once = { requestId: 'one' };

    test('makes one event, whichever gateway is asked, for one caller', async () => {
      const first = await front.insert({ ...hour, summary: 'One' }, once);
      for (const gateway of [front, other]) expect((await gateway.insert({ summary: 'One', ...hour }, once)).event.id).toBe(first.event.id);
      expect((await front.insert({ ...hour, summary: 'One' }, { ...once, as: bob })).event.id).not.toBe(first.event.id);
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

    test('is the same input although the event was changed since, for a gateway that remembers', async () => {
      const { event } = await front.insert({ ...hour, summary: 'Three' }, { requestId: 'three' });
      await service.change(event.id, { summary: 'Changed' });
      expect((await front.insert({ ...hour, summary: 'Three' }, { requestId: 'three' })).event).toMatchObject({ id: event.id, summary: 'Changed' });
      now += 25 * 3_600_000;
      expect((await front.insert({ ...hour, summary: 'Changed' }, { requestId: 'three' })).event.id).toBe(event.id);
    });

    test('beside a name of its own is known by that', async () => {
      for (const [index, name] of [{ id: 'both1' }, { iCalUID: 'both@example.com' }].entries()) {
        const options = { requestId: `both ${index}` };
        const { event } = await front.insert({ ...hour, ...name }, options);
        expect((await front.insert({ ...hour, ...name }, options)).event.id).toBe(event.id);
      }
    });

    test('is held against the rules, and a trial makes nothing', async () => {
      front.asked();
      expect((await front.insert(hour, { requestId: '' })).problems).toEqual(['BAD_USER_INPUT requestId invalid']);
      expect((await front.insert(hour, { requestId: 'four', validateOnly: true })).problems).toEqual([]);
      expect(front.asked()).toEqual([]);
    });
  });

  describe('of an instance', () => {
    const original = { dateTime: '2026-12-02T09:00:00Z' };
    const times = { start: { dateTime: '2026-12-02T13:00:00+01:00' }, end: { dateTime: '2026-12-02T14:00:00+01:00' } };
    const instance = async (): Promise<object> => ({ recurringEventId: (await service.make({ ...zoned, recurrence: ['RRULE:FREQ=DAILY'] })).id, originalStartTime: original, ...times });

    test('goes to the service as it is', async () => {
      const body = { ...(await instance()), summary: 'One of many', kind: 'x' };
      front.asked();
      expect(await front.insert(body)).toMatchObject({ problems: [], event: { summary: 'One of many', originalStartTime: { dateTime: expect.stringContaining('2026-12-02') } } });
      expect(front.asked()).toEqual(['events.insert']);
      expect((await front.insert(body)).problems).toEqual(['CONFLICT event.originalStartTime duplicate']);
      expect((await front.insert({ ...body, colorId: '12' })).problems).toEqual(['BAD_USER_INPUT event.colorId invalid']);
      expect((await front.insert({ ...body, recurringEventId: 'nothing' })).problems).toEqual(['BAD_USER_INPUT event.recurringEventId invalid']);
    });

    test('is tried on the instance that it changes', async () => {
      const body = { ...(await instance()), summary: 'One of many' };
      front.asked();
      expect(await front.insert(body, { validateOnly: true })).toMatchObject({ problems: [], event: { summary: 'One of many' } });
      expect((await front.insert({ ...body, sequence: 0, start: { dateTime: '2027-01-01T10:00:00Z' } }, { validateOnly: true })).problems).toContain('BAD_USER_INPUT event.end timeRangeEmpty');
      expect((await front.insert({ ...body, originalStartTime: { date: '2026-02-30' } }, { validateOnly: true })).problems).toEqual(['BAD_USER_INPUT event.originalStartTime.date invalid']);
      expect(front.asked()).toEqual(['events.get']);
    });
  });

  test('has names in the alphabet of RFC 4648', () => {
    expect(['', 'f', 'fo', 'foobar'].map((text) => base32hex(Buffer.from(text)))).toEqual(['', 'co', 'cpng', 'cpnmuoj1e8']);
  });
});
