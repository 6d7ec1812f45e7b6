import { isReading } from '../../../src/upstream/client/http-exchange.ts';
import type { Fields } from '../../../src/core/json.ts';
import {
  alice,
  bob,
  eve,
  oneHour,
  popupOverride,
  useEventGateway,
  zonedHour,
  type EventGateway,
} from '../../event/event.harness.ts';
import {
  answerWith,
  callAs,
  expectSameEvent,
  outcomeOf,
  useFront,
  withoutTimes,
  type Interceptor,
} from './upstream.harness.ts';

describe('a change that reads the event before it writes it', () => {
  const ownGateway = useEventGateway({}, { REST: 'on' });
  const { service, front } = useFront();

  const guests = { attendees: [{ email: alice }, { email: bob }, { email: eve }] };
  let eventCount = 0;
  async function makeOnBoth(body: object): Promise<string> {
    const id = `read${(eventCount += 1)}`;
    for (const gateway of [ownGateway, service]) await gateway.makeEvent({ id, ...body });
    return id;
  }
  const expectSame = async (id: string, body: object, controls = {}): Promise<void> => {
    const frontOutcome = outcomeOf(await front.patch(id, body, controls));
    expect(frontOutcome).toEqual(outcomeOf(await ownGateway.patch(id, body, controls)));
  };
  /** Alters the service's reads of the event. */
  const alterReads =
    (change: (json: Fields) => object): Interceptor =>
    async (call, through) => {
      const reply = await through();
      return isReading(call) ? (change(reply) as Fields) : reply;
    };

  test.each<[string, object]>([
    ['all fields', { ...oneHour, summary: 'S', attendees: [{ email: alice, comment: 'C' }], colorId: '1' }],
    ['the times alone', oneHour],
    ['fewer fields than the times', { summary: 'S', start: oneHour.start }],
  ])('replaces %s as the own store does', async (_name, body) => {
    const shared = { extendedProperties: { shared: { a: '1' } } };
    const id = await makeOnBoth({ ...guests, summary: 'Old', location: 'There', ...shared });
    const call = {
      apiMethod: 'events.patch',
      path: ['calendars', alice, 'events', id],
    } as const;
    const putBody = (gateway: EventGateway) =>
      callAs(gateway, { ...call, body }, alice, 'PUT').then(withoutTimes, (error: unknown) => error);
    expect(await putBody(front)).toEqual(await putBody(ownGateway));
    await expectSameEvent(id, ownGateway, service);
  });

  test('finds the own calendar as primary too', async () => {
    const body = { attendees: [{ email: alice, comment: 'C' }], nodeId: 'x' };
    await expectSame(await makeOnBoth(guests), body, { calendarId: 'primary' });
  });

  test.each(['patch', 'insert'])('shows a requested conference as pending in a dry run: %s', async (kind) => {
    const createRequest = { requestId: 'new', conferenceSolutionKey: { type: 'hostedCall' } };
    const body = { conferenceData: { createRequest } };
    const options = { validateOnly: true, conferenceDataVersion: 1 };
    const { event, problems } =
      kind === 'patch'
        ? await front.patch(await makeOnBoth({}), body, options)
        : await front.insert({ ...oneHour, ...body }, options);
    expect([problems, event.callLink ?? null]).toEqual([[], null]);
    expect(event.conferenceData).toMatchObject({
      createRequest: { ...createRequest, status: { statusCode: 'pending' } },
    });
  });

  test('drops new sms reminders beside guests', async () => {
    const reminders = { useDefault: false, overrides: [{ method: 'sms', minutes: 1 }, popupOverride(2)] };
    await expectSame(await makeOnBoth(guests), { reminders, attendees: [{ email: alice }] });
    expect(front.calls.at(-1)?.body).toMatchObject({ reminders: { overrides: [popupOverride(2)] } });
  });

  test('restores an event that a guest deleted from the own calendar', async () => {
    const id = await makeOnBoth(guests);
    const response = { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'accepted' }] };
    for (const gateway of [ownGateway, service])
      await gateway.changeEvent(id, { status: 'cancelled' }, { as: bob });
    await expectSame(id, response, { as: bob });
    await expectSame(id, { status: 'confirmed', ...response }, { as: bob });
  });

  describe('of an event that already breaks a rule', () => {
    const invalidFields = {
      colorId: '17',
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261216', 'EXDATE;VALUE=DATE:20261203;'],
      end: zonedHour.start,
    };
    const makeInvalidEvent = async (): Promise<string> => {
      const id = await makeOnBoth(zonedHour);
      // The service would refuse these fields in a write, so its read is altered.
      const body = await callAs(
        service,
        { apiMethod: 'events.get', path: ['calendars', alice, 'events', id] },
        alice,
      );
      front.intercept(answerWith({ ...body, ...invalidFields }));
      return id;
    };

    test('accepts the event as it was read', async () => {
      const id = await makeInvalidEvent();
      const { event } = await front.read(id);
      front.takeMethods();
      const { problems, warningTexts } = await front.patch(id, event);
      expect([problems, warningTexts, front.takeMethods()]).toEqual([[], [], 'get']);
    });

    test('accepts other changes, and refuses new problems', async () => {
      const id = await makeInvalidEvent();
      const { problems } = await front.patch(id, { ...invalidFields, summary: 'S' });
      expect([problems, front.calls.at(-1)?.body]).toEqual([[], { ...invalidFields, summary: 'S' }]);
      const newInvalidFields = { colorId: '18', recurrence: [...invalidFields.recurrence, 'RDATE:x'] };
      expect((await front.patch(id, newInvalidFields)).problems).toEqual([
        'BAD_USER_INPUT event.colorId invalid',
        'BAD_USER_INPUT event.recurrence.2 invalid',
      ]);
    });
  });

  test('sends the recurrence of a moved series, and warns that the service decides on its instances', async () => {
    const id = await makeOnBoth({ ...zonedHour, recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261216T090000Z'] });
    const times = {
      start: { dateTime: '2026-12-01T12:00:00+01:00' },
      end: { dateTime: '2026-12-01T13:00:00+01:00' },
    };
    const { recurrence: readRecurrence } = (await front.read(id)).event;
    const { problems, warningTexts, event } = await front.patch(id, { ...times, recurrence: readRecurrence });
    const recurrence = ['RRULE:FREQ=DAILY;UNTIL=20261216T110000Z'];
    expect([problems, warningTexts, event.recurrence]).toEqual([[], ['event.start incomplete'], recurrence]);
    expect(front.calls.at(-1)).toMatchObject({ body: { ...times, recurrence }, ifMatch: expect.any(String) });
  });

  test.each<[string, object]>([
    ['neither the organizer nor an etag', { organizer: undefined, updated: undefined, etag: undefined }],
    ['no address of the organizer and no time', { organizer: { self: true }, updated: 'once' }],
  ])('is left to the service if its read has %s', async (_name, fields) => {
    const id = await makeOnBoth({});
    front.intercept(alterReads((json) => ({ ...json, ...fields })));
    expect((await front.patch(id, { attendees: [{ email: eve }] })).problems).toEqual([]);
    expect((await service.readOn(alice, id)).attendees).toHaveLength(1);
  });

  test("treats a calendar as a guest's if the list does not name its owner", async () => {
    const id = await makeOnBoth({ attendees: [{ email: eve }] });
    front.intercept(alterReads((json) => ({ ...json, organizer: { email: bob } })));
    expect((await front.patch(id, { attendees: [] })).problems).toEqual([
      'FORBIDDEN event.attendees forbiddenForNonOrganizer',
    ]);
  });

  test('does not write a guest list that was read only in part', async () => {
    const id = await makeOnBoth(guests);
    const incompleteList = { attendees: guests.attendees.slice(0, 1), attendeesOmitted: true };
    front.intercept(alterReads((json) => ({ ...json, ...incompleteList })));
    expect((await front.patch(id, { attendees: [{ email: bob }] })).problems).toEqual([
      'UNAVAILABLE backendError',
    ]);
    const ownResponse = { attendeesOmitted: true, attendees: [{ email: alice, comment: 'C' }] };
    expect((await front.patch(id, ownResponse)).problems).toEqual([]);
    expect((await service.readOn(alice, id)).attendees).toMatchObject([
      { comment: 'C' },
      { email: bob },
      { email: eve },
    ]);
  });
});
