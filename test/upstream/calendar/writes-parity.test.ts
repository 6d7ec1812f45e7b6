import {
  alice,
  bob,
  carol,
  eve,
  oneHour,
  halfAnHourLater,
  makeMany,
  popupOverride,
  useEventGateway,
  textOfLength,
  zonedHour,
  type Controls,
  type EventGateway,
  type Outcome,
} from '../../event/event.harness.ts';
import { deleteDocument } from '../../event/list.harness.ts';
import { expectSameEvent, outcomeOf, useFront } from './upstream.harness.ts';

// Compares writes through another gateway's REST face with writes to the own store: state, issues and
// warnings.
describe('a write of an event through the calendar service', () => {
  const ownGateway = useEventGateway();
  const { service, front } = useFront();

  let eventCount = 0;
  /** Creates the same event in both stores. */
  async function makeOnBoth(body: object): Promise<string> {
    const id = `same${(eventCount += 1)}`;
    for (const gateway of [ownGateway, service]) {
      const controls = { conferenceDataVersion: 1, supportsAttachments: true };
      expect((await gateway.insert({ ...oneHour, id, ...body }, controls)).problems).toEqual([]);
    }
    front.takeMethods();
    return id;
  }

  async function expectSame(id: string, run: (gateway: EventGateway) => Promise<Outcome>): Promise<void> {
    const [ownOutcome, frontOutcome] = [outcomeOf(await run(ownGateway)), outcomeOf(await run(front))];
    expect(frontOutcome).toEqual(ownOutcome);
    await expectSameEvent(id, ownGateway, service);
  }

  const guests = {
    attendees: [{ email: alice }, { email: bob }, { email: eve, optional: true, comment: 'Maybe' }],
  };
  const newGuest = { email: carol, optional: true };
  const cancelledStatus = { status: 'cancelled' };
  const acceptedGuest = (email: string) => ({ email, responseStatus: 'accepted' });
  const attachment = { fileUrl: 'https://files.example.org/a' };
  const conferenceRequest = {
    createRequest: { requestId: 'new', conferenceSolutionKey: { type: 'hostedCall' } },
  };
  const summary = 'S';
  const reminders = (useDefault: boolean, ...overrides: object[]) => ({
    reminders: { useDefault, overrides },
  });
  const smsReminder = { method: 'sms', minutes: 5 };
  const asGuest = { as: bob };
  const partialList = { attendeesOmitted: true };
  const tooManyGuests = { attendees: makeMany(201, (index) => ({ email: `g${index}@example.com` })) };
  const brokenTime = { start: { dateTime: 'soon' } };
  const brokenFields = { colorId: '12', description: textOfLength(8193), ...brokenTime, sequence: -1 };

  /** A name, the sent body, the expected calls of the service in order, and controls. */
  type Row = [name: string, body: object, calls: string, controls?: Controls];
  const casesWith = (before: object, ...rows: readonly Row[]) =>
    rows.map(([name, body, calls, controls = {}]) => ({ name, before, body, calls, controls }));

  test.each([
    ...casesWith(
      {},
      ['a text', { summary }, 'patch'],
      ['nothing', {}, 'get'],
      ['read-only fields', { created: '2020-01-01T00:00:00Z', htmlLink: 'x', nodeId: 'y' }, 'get'],
      ['read-only fields beside a text', { summary, htmlLink: 'x', locked: true, creator: {} }, 'patch'],
      ['another id', { summary, id: 'another' }, ''],
      ['reminders, new sms among them', reminders(false, smsReminder, popupOverride(3)), 'patch'],
      ['reminders that contradict each other', reminders(true, popupOverride(3)), 'get'],
      [
        'attachments',
        { attachments: [{ ...attachment, title: 'A' }] },
        'patch',
        { supportsAttachments: true },
      ],
      ['conference data of an old client', { summary, conferenceData: conferenceRequest }, 'patch'],
      ['many broken values', brokenFields, 'get'],
      ['broken arguments', { colorId: '12' }, '', { maxAttendees: 0, conferenceDataVersion: 2 }],
      ['a start behind the stored end', { start: { dateTime: '2026-12-01T12:00:00+01:00' } }, 'get'],
      ['recurrence without a zone', { recurrence: ['RRULE:FREQ=DAILY'] }, 'get'],
      ['a time in another spelling', { start: { dateTime: '2026-12-01T09:00:00Z' } }, 'get'],
      ['a status', cancelledStatus, 'patch'],
      ['an invalid dry run', { start: { dateTime: '2026-12-02T12:00:00Z' } }, 'get', { validateOnly: true }],
      ['a text with an etag that it never had', { summary }, 'patch get', { ifMatch: '"old"' }],
      ['a text with any etag', { summary }, 'patch', { ifMatch: '*' }],
    ),
    ...casesWith({ sequence: 5 }, ['a lower sequence', { sequence: 3, iCalUID: 'o' }, 'patch get']),
    ...casesWith(zonedHour, ['a series', { recurrence: ['RRULE:FREQ=DAILY'] }, 'get patch']),
    ...casesWith({ attachments: [attachment] }, [
      'unsupported attachments',
      { summary, attachments: [] },
      'patch',
    ]),
    ...casesWith({ summary: 'A', location: 'B', transparency: 'transparent' }, [
      'nulls and defaults',
      { summary: null, location: null, transparency: 'opaque', guestsCanModify: false },
      'patch',
    ]),
    ...casesWith({ extendedProperties: { private: { a: '1' }, shared: { b: '2', c: '3' } } }, [
      'maps, with a property that is removed',
      { extendedProperties: { private: { a: null }, shared: { b: 'x' } } },
      'patch',
    ]),
    ...casesWith(
      cancelledStatus,
      ['a text of a cancelled event', { summary }, 'patch get'],
      ['the status of a cancelled event', { status: 'confirmed', summary }, 'patch'],
    ),
    ...casesWith(
      guests,
      ['guests', { attendees: [{ email: 'BOB@example.com', comment: 'C' }, { email: carol }] }, 'get patch'],
      ['guests as they are', guests, 'get'],
      ['a guest back to unset', { attendees: [{ email: eve, optional: false, comment: null }] }, 'get patch'],
      [
        'a response for a guest with a calendar',
        { attendees: [acceptedGuest(bob), acceptedGuest(eve)] },
        'get patch',
      ],
      ['no guests', { attendees: null }, 'patch'],
      ['guests twice', { attendees: [carol, carol, 'nobody'].map((email) => ({ email })) }, 'get'],
      ['too many guests', tooManyGuests, 'get'],
      ['guest changes', { summary }, 'get patch', { attendeeChanges: { add: [newGuest], remove: [eve] } }],
      ['changes of guests beside guests', guests, '', { attendeeChanges: { add: [newGuest] } }],
      ['broken changes of guests', {}, '', { attendeeChanges: { add: [{ email: 'nobody' }] } }],
      ['the own response', { ...partialList, attendees: [acceptedGuest(alice), newGuest] }, 'get patch'],
      ['an empty entry beside it', { ...partialList, attendees: [{}, acceptedGuest(alice)] }, 'get patch'],
      ['guests, with few shown', { attendees: [newGuest, { email: bob }] }, 'get patch', { maxAttendees: 1 }],
      ['a text, with few guests shown', { summary }, 'patch', { maxAttendees: 1, alwaysIncludeEmail: true }],
      ['a dry run', { summary, attendees: [newGuest], htmlLink: 'x' }, 'get', { validateOnly: true }],
      ['guests with an etag that it never had', { attendees: [] }, 'get', { ifMatch: 'W/"old"' }],
      ["a guest's text", { summary }, 'patch get', asGuest],
      ["a guest's own fields", { colorId: '5', ...reminders(false, popupOverride(1)) }, 'patch', asGuest],
      [
        "a guest's response",
        { attendees: [acceptedGuest(bob)], attendeesOmitted: true },
        'get patch',
        asGuest,
      ],
      ["a guest's guests", { attendees: [{ email: bob }] }, 'get', asGuest],
      ['the status of a guest who leaves', cancelledStatus, 'patch', asGuest],
      ['a text by a reader', { summary }, 'patch', { as: 'rita@example.com', calendarId: alice }],
      ['a text by a stranger', { summary }, 'patch', { as: 'sten@example.com', calendarId: alice }],
    ),
    ...casesWith({ attendees: [acceptedGuest(alice)] }, [
      'the own response taken back',
      { attendees: [{ email: alice, responseStatus: 'needsAction' }] },
      'get patch',
    ]),
    ...casesWith({ ...guests, ...cancelledStatus }, [
      "a guest's empty patch of a cancelled event",
      {},
      'get',
      asGuest,
    ]),
    ...casesWith(
      { ...guests, guestsCanModify: true },
      ["a guest's text where guests may", { summary, guestsCanModify: false }, 'patch get', asGuest],
      ['a field of its creator only', { source: { url: 'https://s.example' } }, 'patch get', asGuest],
    ),
    ...casesWith({ ...guests, guestsCanSeeOtherGuests: false }, [
      "a guest's response where guests are hidden",
      {},
      'get patch',
      { as: bob, attendeeChanges: { add: [acceptedGuest(bob)] } },
    ]),
  ])('a patch of $name is the same', async ({ before, body, calls, controls }) => {
    const id = await makeOnBoth(before);
    await expectSame(id, (gateway) => gateway.patch(id, body, controls));
    expect(front.takeMethods()).toBe(calls);
  });

  const wholeEvent = {
    ...guests,
    ...zonedHour,
    recurrence: ['RRULE:FREQ=DAILY'],
    attachments: [attachment],
    htmlLink: 'x',
  };
  const brokenEvent = { ...halfAnHourLater, end: null, colorId: '12', iCalUID: 'a', attendees: [null] };
  test.each<Row>([
    ['an hour', { summary, location: null }, 'insert'],
    ['a whole event', wholeEvent, 'insert', { sendUpdates: 'all', supportsAttachments: true }],
    ['sms reminders', reminders(false, smsReminder, popupOverride(3)), 'insert'],
    ['unsupported fields', { attachments: [attachment], conferenceData: conferenceRequest }, 'insert'],
    ['a response', { attendees: [acceptedGuest(bob), { ...acceptedGuest(eve), self: true }] }, 'insert'],
    ['a dry run', { summary, ...guests }, '', { validateOnly: true }],
    ['broken values', brokenEvent, ''],
    ['a broken conference', { conferenceData: { createRequest: {} } }, '', { conferenceDataVersion: 1 }],
  ])('an insert of %s is the same', async (_name, body, calls, controls = {}) => {
    const id = `made${(eventCount += 1)}`;
    front.takeMethods();
    await expectSame(id, (gateway) => gateway.insert({ ...oneHour, id, ...body }, controls));
    expect(front.takeMethods()).toBe(calls);
  });

  test('a delete is the same, also when repeated', async () => {
    const id = await makeOnBoth(guests);
    for (const as of [bob, bob, alice, alice])
      await expectSame(id, (gateway) => gateway.run(deleteDocument, { calendarId: as, eventId: id }, as));
    expect(front.takeMethods()).toBe('delete delete delete delete');
  });
});
