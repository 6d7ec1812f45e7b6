import type { Json } from '../../../src/upstream/calendar/event-calls.ts';
import {
  alice,
  bob,
  eve,
  hour,
  popup,
  useEvents,
  zoned,
  type EventGateway,
} from '../../event/event.harness.ts';
import {
  answer,
  callAs,
  expectSameEvent,
  saidOf,
  useFront,
  withoutTimes,
  type Between,
} from './upstream.harness.ts';

describe('a change that reads the event before it writes it', () => {
  const own = useEvents({}, { REST: 'on' });
  const { service, front } = useFront();

  const guests = { attendees: [{ email: alice }, { email: bob }, { email: eve }] };
  let count = 0;
  async function make(body: object): Promise<string> {
    const id = `read${(count += 1)}`;
    for (const gateway of [own, service]) await gateway.make({ id, ...body });
    return id;
  }
  const expectSame = async (id: string, body: object, controls = {}): Promise<void> => {
    const theirs = saidOf(await front.patch(id, body, controls));
    expect(theirs).toEqual(saidOf(await own.patch(id, body, controls)));
  };
  /** Changes what the service says of the event. */
  const reading =
    (change: (json: Json) => object): Between =>
    async (call, through) => {
      const reply = await through();
      return call.verb === 'GET' ? { ...reply, body: change(reply.body as Json) } : reply;
    };

  test.each<[string, object]>([
    ['all of it', { ...hour, summary: 'S', attendees: [{ email: alice, comment: 'C' }], colorId: '1' }],
    ['nothing but its times', hour],
    ['less than its times', { summary: 'S', start: hour.start }],
  ])('replaces %s as the own store does', async (_name, body) => {
    const shared = { extendedProperties: { shared: { a: '1' } } };
    const id = await make({ ...guests, summary: 'Old', location: 'There', ...shared });
    const call = {
      method: '',
      verb: 'PUT',
      path: ['calendars', alice, 'events', id],
      repeatable: true,
    } as const;
    const put = (gateway: EventGateway) =>
      callAs(gateway, { ...call, body }, alice).then(
        (reply) => withoutTimes(reply.body as object),
        (error: unknown) => error,
      );
    expect(await put(front)).toEqual(await put(own));
    await expectSameEvent(id, own, service);
  });

  test('finds the own calendar by its name as well', async () => {
    const body = { attendees: [{ email: alice, comment: 'C' }], nodeId: 'x' };
    await expectSame(await make(guests), body, { calendarId: 'primary' });
  });

  test.each(['patch', 'insert'])('shows a conference that a trial asks for as pending: %s', async (kind) => {
    const createRequest = { requestId: 'new', conferenceSolutionKey: { type: 'hostedCall' } };
    const body = { conferenceData: { createRequest } };
    const options = { validateOnly: true, conferenceDataVersion: 1 };
    const { event, problems } =
      kind === 'patch'
        ? await front.patch(await make({}), body, options)
        : await front.insert({ ...hour, ...body }, options);
    expect([problems, event.callLink ?? null]).toEqual([[], null]);
    expect(event.conferenceData).toMatchObject({
      createRequest: { ...createRequest, status: { statusCode: 'pending' } },
    });
  });

  test('leaves out new sms reminders beside guests', async () => {
    const reminders = { useDefault: false, overrides: [{ method: 'sms', minutes: 1 }, popup(2)] };
    await expectSame(await make(guests), { reminders, attendees: [{ email: alice }] });
    expect(front.calls.at(-1)?.body).toMatchObject({ reminders: { overrides: [popup(2)] } });
  });

  test('puts an event back that a guest took off the own calendar', async () => {
    const id = await make(guests);
    const response = { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'accepted' }] };
    for (const gateway of [own, service]) await gateway.change(id, { status: 'cancelled' }, { as: bob });
    await expectSame(id, response, { as: bob });
    await expectSame(id, { status: 'confirmed', ...response }, { as: bob });
  });

  describe('of an event that breaks a rule already', () => {
    const held = {
      colorId: '17',
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261216', 'EXDATE;VALUE=DATE:20261203;'],
      end: zoned.start,
    };
    const read = { method: '', verb: 'GET', repeatable: true } as const;
    const brokenOne = async (): Promise<string> => {
      const id = await make(zoned);
      // What the service would refuse is in no question here: it holds it.
      const { body } = await callAs(service, { ...read, path: ['calendars', alice, 'events', id] }, alice);
      front.between(answer({ ...(body as Json), ...held }));
      return id;
    };

    test('takes it back as it was read', async () => {
      const id = await brokenOne();
      const { event } = await front.read(id);
      front.asked();
      const { problems, notes } = await front.patch(id, event);
      expect([problems, notes, front.asked()]).toEqual([[], [], 'get']);
    });

    test('changes something else beside it, and still refuses what is new', async () => {
      const id = await brokenOne();
      const { problems } = await front.patch(id, { ...held, summary: 'S' });
      expect([problems, front.calls.at(-1)?.body]).toEqual([[], { ...held, summary: 'S' }]);
      const others = { colorId: '18', recurrence: [...held.recurrence, 'RDATE:x'] };
      expect((await front.patch(id, others)).problems).toEqual([
        'BAD_USER_INPUT event.colorId invalid',
        'BAD_USER_INPUT event.recurrence.2 invalid',
      ]);
    });
  });

  test('sends the lines of a series that moves, and says that its instances are the service’s', async () => {
    const id = await make({ ...zoned, recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261216T090000Z'] });
    const times = {
      start: { dateTime: '2026-12-01T12:00:00+01:00' },
      end: { dateTime: '2026-12-01T13:00:00+01:00' },
    };
    const { recurrence: asRead } = (await front.read(id)).event;
    const { problems, notes, event } = await front.patch(id, { ...times, recurrence: asRead });
    const recurrence = ['RRULE:FREQ=DAILY;UNTIL=20261216T110000Z'];
    expect([problems, notes, event.recurrence]).toEqual([[], ['event.start incomplete'], recurrence]);
    expect(front.calls.at(-1)).toMatchObject({ body: { ...times, recurrence }, ifMatch: expect.any(String) });
  });

  test.each<[string, object]>([
    ['neither the organizer nor an etag', { organizer: undefined, updated: undefined, etag: undefined }],
    ['no address of the organizer and no time', { organizer: { self: true }, updated: 'once' }],
  ])('is left to the service where it tells %s', async (_name, told) => {
    const id = await make({});
    front.between(reading((json) => ({ ...json, ...told })));
    expect((await front.patch(id, { attendees: [{ email: eve }] })).problems).toEqual([]);
    expect((await service.on(alice, id)).attendees).toHaveLength(1);
  });

  test('takes a calendar for that of a guest whom the list does not name', async () => {
    const id = await make({ attendees: [{ email: eve }] });
    front.between(reading((json) => ({ ...json, organizer: { email: bob } })));
    expect((await front.patch(id, { attendees: [] })).problems).toEqual([
      'FORBIDDEN event.attendees forbiddenForNonOrganizer',
    ]);
  });

  test('does not write a guest list of which only a part was told', async () => {
    const id = await make(guests);
    const part = { attendees: guests.attendees.slice(0, 1), attendeesOmitted: true };
    front.between(reading((json) => ({ ...json, ...part })));
    expect((await front.patch(id, { attendees: [{ email: bob }] })).problems).toEqual([
      'UNAVAILABLE backendError',
    ]);
    const own = { attendeesOmitted: true, attendees: [{ email: alice, comment: 'C' }] };
    expect((await front.patch(id, own)).problems).toEqual([]);
    expect((await service.on(alice, id)).attendees).toMatchObject([
      { comment: 'C' },
      { email: bob },
      { email: eve },
    ]);
  });
});
