import { isEquivalent } from '../../../src/upstream/calendar/event-converter.ts';
import { alice, bob, carol, eve, oneHour, popupOverride, zonedHour } from '../../event/event.harness.ts';
import { useFront, type Interceptor } from './upstream.harness.ts';

describe('changes that the calendar service ignores silently', () => {
  const { service, front } = useFront();

  const guests = { attendees: [{ email: alice }, { email: bob }, { email: eve }] };
  const modifiableGuests = { ...guests, guestsCanModify: true };
  const acceptedResponse = {
    attendeesOmitted: true,
    attendees: [{ email: bob, responseStatus: 'accepted' }],
  };
  const reminders = { useDefault: false, overrides: [popupOverride(5)] };
  const guestChange = { attendeeChanges: { add: [{ email: carol }], remove: [eve] } };
  const twoGuests = { attendees: guests.attendees.slice(0, 2) };
  const properties = { extendedProperties: { private: { a: '1' }, shared: { b: '1' } } };
  const privateProperties = { extendedProperties: { private: { a: '1' } } };
  const responsePath = 'event.attendees.0.responseStatus';
  const reminderPaths = ['event.reminders.useDefault', 'event.reminders.overrides'];
  const notOrganizerProblems = (...paths: readonly string[]) =>
    paths.map((path) => `FORBIDDEN ${path} forbiddenForNonOrganizer`);
  const ignoredWarnings = (...paths: readonly string[]) => paths.map((path) => `${path} ignored`);
  /** Replaces members of the sent body. */
  const replaceSent =
    (replacement: object): Interceptor =>
    (call, through) => {
      if (call.body) Object.assign(call, { body: { ...call.body, ...replacement } });
      return through();
    };

  /** Name, sent change, members that the service writes instead, expected report, and event before. */
  type Row = [name: string, sent: object, replacement: object, expected: readonly string[], before?: object];
  const expectReported = async (
    sent: object,
    replacement: object,
    expected: readonly string[],
    before: object,
    as: string,
  ) => {
    const { id } = await service.makeEvent({ ...oneHour, ...before });
    front.intercept(replaceSent(replacement));
    const { attendeeChanges, ...body } = sent as { readonly attendeeChanges?: object };
    const { problems, warningTexts } = await front.patch(id, body, { as, attendeeChanges });
    expect(problems.length > 0 ? problems : warningTexts).toEqual(expected);
  };

  const withoutGuestFields = { attendees: undefined, attendeesOmitted: undefined };
  test.each<Row>([
    ['a response', acceptedResponse, withoutGuestFields, notOrganizerProblems(responsePath)],
    [
      'a response beside another change',
      { ...acceptedResponse, colorId: '5' },
      withoutGuestFields,
      ignoredWarnings(responsePath),
    ],
    [
      'guests',
      guestChange,
      withoutGuestFields,
      notOrganizerProblems('attendeeChanges.add.0', 'attendeeChanges'),
      modifiableGuests,
    ],
    [
      'half of a change of guests',
      guestChange,
      twoGuests,
      ignoredWarnings('attendeeChanges.add.0'),
      modifiableGuests,
    ],
    [
      'a text',
      { summary: 'S' },
      { summary: undefined },
      notOrganizerProblems('event.summary'),
      modifiableGuests,
    ],
    [
      'a property',
      properties,
      privateProperties,
      ignoredWarnings('event.extendedProperties.shared.b'),
      modifiableGuests,
    ],
    ['reminders', { reminders }, { reminders: undefined }, notOrganizerProblems(...reminderPaths)],
    ['a status', { status: 'cancelled' }, { status: undefined }, notOrganizerProblems('event.status')],
  ])('are reported to a guest: %s', async (_name, sent, replacement, expected, before = guests) =>
    expectReported(sent, replacement, expected, before, bob),
  );

  const newLocation = { location: 'There' };
  const [withoutLocation, withoutAttendees] = [{ location: undefined }, { attendees: undefined }];
  const onlyBob = { attendees: [{ email: bob }] };
  const optionalGuest = (email: string) => ({ email, optional: true });
  test.each<Row>([
    ['a place', { ...newLocation, summary: 'S' }, withoutLocation, ignoredWarnings('event.location')],
    ['everything that was sent', newLocation, withoutLocation, ignoredWarnings('event.location')],
    [
      'a place beside guests',
      { ...newLocation, ...onlyBob },
      withoutLocation,
      ignoredWarnings('event.location'),
    ],
    [
      'a guest list',
      { attendees: [{ email: bob }, optionalGuest(carol)] },
      withoutAttendees,
      ignoredWarnings('event.attendees.1', 'event.attendees'),
    ],
    ['no guests', { attendees: null, summary: 'S' }, withoutAttendees, ignoredWarnings('event.attendees')],
    [
      'a member of a guest',
      { attendees: [{ email: alice }, optionalGuest(bob), { email: eve }] },
      withoutAttendees,
      ignoredWarnings('event.attendees.1.optional'),
    ],
    [
      'a property',
      properties,
      { extendedProperties: undefined },
      ignoredWarnings('event.extendedProperties.private.a', 'event.extendedProperties.shared.b'),
    ],
    ['nothing if the organizer is a guest', onlyBob, twoGuests, []],
    ['nothing for a sanitized text', { description: '<b>B</b> ' }, { description: 'B' }, []],
    ['nothing for a changed text', { description: 'A', ...onlyBob }, { description: 'C' }, []],
    [
      'nothing for a reordered rule',
      { recurrence: ['RRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,TU'] },
      { recurrence: ['RRULE:BYDAY=TU,MO;FREQ=WEEKLY;WKST=MO'] },
      [],
      zonedHour,
    ],
  ])('are reported to an organizer: %s', async (_name, sent, replacement, expected, before = guests) =>
    expectReported(sent, replacement, expected, before, alice),
  );

  test('are not reported for a cancelled event, which shows few fields', async () => {
    const { id } = await service.makeEvent(guests);
    front.intercept(async (_call, through) => {
      await through();
      return { id, status: 'cancelled', etag: '"x"', organizer: { email: alice } };
    });
    const { problems, warningTexts } = await front.patch(id, { status: 'cancelled', summary: 'S' });
    expect([problems, warningTexts]).toEqual([[], []]);
  });

  test('are reported after an insert', async () => {
    front.intercept(replaceSent({ ...withoutLocation, ...withoutAttendees }));
    expect(
      (await front.insert({ ...oneHour, ...guests, summary: 'S', location: 'There' })).warningTexts,
    ).toEqual(
      ignoredWarnings('event.location', 'event.attendees.0', 'event.attendees.1', 'event.attendees.2'),
    );
  });

  const [popupReminder, emailReminder] = [popupOverride(1), { method: 'email', minutes: 2 }];
  test.each<[unknown, unknown, boolean]>([
    ['A  b.', 'a b', true],
    ['A', 'B', false],
    ['!', '?', false],
    ['', null, true],
    [[], undefined, true],
    [1, 2, false],
    [['RRULE:FREQ=DAILY;UNTIL=20270101'], ['RRULE:UNTIL=20270101T225959Z;FREQ=DAILY'], true],
    [['RRULE:FREQ=DAILY'], ['RRULE:FREQ=DAILY;COUNT=2'], false],
    [['EXDATE;TZID=Europe/Berlin:20270101T090000'], ['EXDATE:20270101T080000Z'], true],
    [['EXDATE:20270101'], ['EXDATE:20270102'], false],
    [[popupReminder, emailReminder], [emailReminder, popupReminder], true],
    [[{ fileUrl: 'https://a.example' }], [{ fileUrl: 'https://a.example', title: 'A' }], true],
  ])('isEquivalent of %j and %j is %j', (sent, returned, expected) => {
    expect(isEquivalent(sent, returned)).toBe(expected);
  });
});
