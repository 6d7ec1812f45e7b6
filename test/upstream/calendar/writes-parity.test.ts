import {
  alice,
  bob,
  carol,
  eve,
  hour,
  later,
  popup,
  startEvents,
  text,
  zoned,
  type Controls,
  type EventGateway,
} from '../../event/event.harness.ts';
import { plain, saidOf, startFront, startService, type Front } from './writes.harness.ts';

// The same in front of another gateway's REST face as over the own store: state, issues and warnings.
describe('a write of an event through the calendar service', () => {
  let own: EventGateway, service: EventGateway, front: Front;
  beforeAll(async () => {
    [own, service] = await Promise.all([startEvents(), startService()]);
    front = await startFront(service);
  });
  afterAll(() => Promise.all([own, service, front].map((gateway) => gateway.close())));

  let count = 0;
  /** The same event on both. */
  async function make(body: object, controls: Controls = {}): Promise<string> {
    const id = `parity${(count += 1)}`.replaceAll(/[^a-v0-9]/g, 'a');
    for (const gateway of [own, service])
      expect(
        (
          await gateway.insert(
            { ...hour, id, ...body },
            { conferenceDataVersion: 1, supportsAttachments: true, ...controls },
          )
        ).problems,
      ).toEqual([]);
    front.asked();
    return id;
  }

  async function expectSame(
    id: string,
    run: (gateway: EventGateway) => Promise<Parameters<typeof saidOf>[0]>,
  ): Promise<object> {
    const [mine, theirs] = [saidOf(await run(own)), saidOf(await run(front))];
    expect(theirs).toEqual(mine);
    for (const as of [alice, bob]) {
      const [here, there] = [await own.read(id, { as }), await service.read(id, { as })];
      expect([there.problems, there.event && plain(there.event)]).toEqual([
        here.problems,
        here.event && plain(here.event),
      ]);
    }
    return theirs;
  }

  const guests = {
    attendees: [{ email: alice }, { email: bob }, { email: eve, optional: true, comment: 'Maybe' }],
  };
  const link = { fileUrl: 'https://files.example.org/a' };
  const call = { createRequest: { requestId: 'new', conferenceSolutionKey: { type: 'hostedCall' } } };

  const patches: Readonly<
    Record<
      string,
      {
        readonly of?: object;
        readonly body: object;
        readonly calls: readonly string[];
        readonly options?: Controls;
      }
    >
  > = {
    'a text': { body: { summary: 'Other' }, calls: ['patch'] },
    'nulls and defaults': {
      of: { summary: 'A', location: 'B', transparency: 'transparent' },
      body: { summary: null, location: null, transparency: 'opaque', guestsCanModify: false },
      calls: ['patch'],
    },
    nothing: { body: {}, calls: ['get'] },
    'what only a server sets': {
      body: { created: '2020-01-01T00:00:00Z', kind: 'calendar#event', htmlLink: 'x', nodeId: 'other' },
      calls: ['get'],
    },
    'that beside something else': {
      body: { summary: 'S', htmlLink: 'x', locked: true, creator: { email: bob } },
      calls: ['patch'],
    },
    'its own id': { body: { summary: 'S', id: 'another' }, calls: [] },
    'a property of a map that goes': {
      of: { extendedProperties: { private: { a: '1' }, shared: { b: '2', c: '3' } } },
      body: { extendedProperties: { private: { a: null }, shared: { b: 'x' } } },
      calls: ['patch'],
    },
    'reminders, new sms among them': {
      body: { reminders: { useDefault: false, overrides: [{ method: 'sms', minutes: 5 }, popup(3)] } },
      calls: ['patch'],
    },
    'reminders that contradict each other': {
      body: { reminders: { useDefault: true, overrides: [popup(3)] } },
      calls: [],
    },
    'attachments that are not supported': {
      of: { attachments: [link] },
      body: { summary: 'S', attachments: [] },
      calls: ['patch'],
    },
    attachments: {
      body: { attachments: [{ ...link, title: 'A', iconLink: 'https://icon.example' }] },
      calls: ['patch'],
      options: { supportsAttachments: true },
    },
    'conference data of an old client': { body: { summary: 'S', conferenceData: call }, calls: ['patch'] },
    'many broken values': {
      body: { description: text(8193), colorId: '12', start: { dateTime: 'soon' }, sequence: -1 },
      calls: [],
    },
    'broken arguments': {
      body: { colorId: '12' },
      calls: [],
      options: { maxAttendees: 0, conferenceDataVersion: 2 },
    },
    'a start behind the stored end': {
      body: { start: { dateTime: '2026-12-01T12:00:00+01:00' }, summary: 'S' },
      calls: ['patch', 'get'],
    },
    'a sequence below the stored one': {
      of: { sequence: 5 },
      body: { sequence: 3, iCalUID: 'other' },
      calls: ['patch', 'get'],
    },
    'recurrence without a zone': { body: { recurrence: ['RRULE:FREQ=DAILY'] }, calls: ['patch', 'get'] },
    'a series': { of: zoned, body: { recurrence: ['RRULE:FREQ=DAILY'] }, calls: ['patch'] },
    'a time in another spelling': { body: { start: { dateTime: '2026-12-01T09:00:00Z' } }, calls: ['patch'] },
    'a status': { body: { status: 'cancelled' }, calls: ['patch'] },
    'something of a cancelled event': {
      of: { status: 'cancelled' },
      body: { summary: 'S' },
      calls: ['patch', 'get'],
    },
    "a guest's nothing on a cancelled event": {
      of: { ...guests, status: 'cancelled' },
      body: {},
      options: { as: bob },
      calls: ['get'],
    },
    'a cancelled event back': {
      of: { status: 'cancelled' },
      body: { status: 'confirmed', summary: 'S' },
      calls: ['patch'],
    },
    guests: {
      of: guests,
      body: { attendees: [{ email: 'BOB@example.com', comment: 'C', displayName: 'Bob' }, { email: carol }] },
      calls: ['get', 'patch'],
    },
    'guests as they are': { of: guests, body: guests, calls: ['get'] },
    'what guests said, back to unset': {
      of: guests,
      body: { attendees: [{ email: eve, optional: false, comment: null }, { email: alice }] },
      calls: ['get', 'patch'],
    },
    'an answer for somebody who has a calendar': {
      of: guests,
      body: {
        attendees: [
          { email: bob, responseStatus: 'accepted' },
          { email: eve, responseStatus: 'accepted' },
        ],
      },
      calls: ['get', 'patch'],
    },
    'no guests': { of: guests, body: { attendees: null }, calls: ['patch'] },
    'guests twice': {
      of: guests,
      body: { attendees: [{ email: carol }, { email: carol }, { email: 'nobody' }] },
      calls: [],
    },
    'too many guests': {
      of: guests,
      body: { attendees: Array.from({ length: 201 }, (_, index) => ({ email: `g${index}@example.com` })) },
      calls: ['get'],
    },
    'changes of guests': {
      of: guests,
      body: { summary: 'S' },
      options: { attendeeChanges: { add: [{ email: carol, optional: true }], remove: [eve] } },
      calls: ['get', 'patch'],
    },
    'changes of guests beside guests': {
      of: guests,
      body: guests,
      options: { attendeeChanges: { add: [{ email: carol }] } },
      calls: [],
    },
    'broken changes of guests': {
      of: guests,
      body: {},
      options: { attendeeChanges: { add: [{ email: 'nobody' }] } },
      calls: [],
    },
    'the own answer': {
      of: guests,
      body: {
        attendeesOmitted: true,
        attendees: [{ email: alice, responseStatus: 'accepted' }, { email: bob }],
      },
      calls: ['get', 'patch'],
    },
    'the own answer taken back': {
      of: { attendees: [{ email: alice, responseStatus: 'accepted' }] },
      body: { attendees: [{ email: alice, responseStatus: 'needsAction' }] },
      calls: ['get', 'patch'],
    },
    'guests, with few shown': {
      of: guests,
      body: { attendees: [{ email: carol }, { email: bob }] },
      options: { maxAttendees: 1 },
      calls: ['get', 'patch'],
    },
    'something, with few guests shown': {
      of: guests,
      body: { summary: 'S' },
      options: { maxAttendees: 1, alwaysIncludeEmail: true },
      calls: ['patch'],
    },
    'a trial': {
      of: guests,
      body: { summary: 'S', attendees: [{ email: carol }], htmlLink: 'x' },
      options: { validateOnly: true },
      calls: ['get'],
    },
    'a broken trial': {
      body: { start: { dateTime: '2026-12-02T12:00:00Z' } },
      options: { validateOnly: true },
      calls: ['get'],
    },
    'with an etag that it never had': {
      body: { summary: 'S' },
      options: { ifMatch: '"old"' },
      calls: ['patch', 'get'],
    },
    'guests with an etag that it never had': {
      of: guests,
      body: { attendees: [] },
      options: { ifMatch: 'W/"old"' },
      calls: ['get'],
    },
    'whatever etag it has': { body: { summary: 'S' }, options: { ifMatch: '*' }, calls: ['patch'] },
    "a guest's text": { of: guests, body: { summary: 'S' }, options: { as: bob }, calls: ['patch', 'get'] },
    "a guest's text where guests may": {
      of: { ...guests, guestsCanModify: true },
      body: { summary: 'S', guestsCanModify: false },
      options: { as: bob },
      calls: ['patch', 'get'],
    },
    "a guest's own things": {
      of: guests,
      body: { colorId: '5', reminders: { useDefault: false, overrides: [popup(1)] } },
      options: { as: bob },
      calls: ['patch'],
    },
    "a guest's answer": {
      of: guests,
      body: {
        attendees: [{ email: bob, responseStatus: 'declined', comment: 'No' }],
        attendeesOmitted: true,
      },
      options: { as: bob },
      calls: ['get', 'patch'],
    },
    "a guest's guests": {
      of: guests,
      body: { attendees: [{ email: bob }] },
      options: { as: bob },
      calls: ['get'],
    },
    'a guest where guests are hidden': {
      of: { ...guests, guestsCanSeeOtherGuests: false },
      body: {},
      options: { as: bob, attendeeChanges: { add: [{ email: bob, responseStatus: 'accepted' }] } },
      calls: ['get', 'patch'],
    },
    'taken off by a guest': {
      of: guests,
      body: { status: 'cancelled' },
      options: { as: bob },
      calls: ['patch'],
    },
    'by somebody who only reads': {
      of: guests,
      body: { summary: 'S' },
      options: { as: 'rita@example.com', calendarId: alice },
      calls: ['patch'],
    },
    'by nobody known': {
      of: guests,
      body: { summary: 'S' },
      options: { as: 'sten@example.com', calendarId: alice },
      calls: ['patch'],
    },
    'what only its creator may': {
      of: { ...guests, guestsCanModify: true },
      body: { source: { url: 'https://s.example' } },
      options: { as: bob },
      calls: ['patch', 'get'],
    },
  };

  test.each(Object.entries(patches))(
    'a patch of %s is the same',
    async (_name, { of = {}, body, calls, options = {} }) => {
      const id = await make(of);
      await expectSame(id, (gateway) => gateway.patch(id, body, options));
      expect(front.asked()).toEqual(calls.map((call) => `events.${call}`));
    },
  );

  const inserts: Readonly<
    Record<string, { readonly body: object; readonly calls?: readonly string[]; readonly options?: Controls }>
  > = {
    'an hour': { body: { summary: 'S', location: null } },
    'a whole one': {
      body: {
        ...guests,
        ...zoned,
        recurrence: ['RRULE:FREQ=DAILY'],
        attachments: [link],
        colorId: '3',
        attendeesOmitted: true,
        htmlLink: 'x',
      },
      options: { sendUpdates: 'all', supportsAttachments: true },
    },
    'sms reminders': {
      body: { reminders: { useDefault: false, overrides: [{ method: 'sms', minutes: 5 }, popup(3)] } },
    },
    'what is not supported': { body: { attachments: [link], conferenceData: call } },
    'an answer of somebody who has a calendar': {
      body: {
        attendees: [
          { email: bob, responseStatus: 'accepted' },
          { email: eve, responseStatus: 'accepted', self: true },
        ],
      },
    },
    'a trial': { body: { summary: 'S', ...guests }, options: { validateOnly: true }, calls: [] },
    'broken values': {
      body: { ...later, end: null, colorId: '12', iCalUID: 'a', attendees: [null] },
      calls: [],
    },
    'a broken conference': {
      body: { conferenceData: { createRequest: { requestId: '' } } },
      options: { conferenceDataVersion: 1 },
      calls: [],
    },
  };

  test.each(Object.entries(inserts))(
    'an insert of %s is the same',
    async (_name, { body, calls = ['insert'], options = {} }) => {
      const id = `made${(count += 1)}`;
      front.asked();
      const said = await expectSame(id, (gateway) => gateway.insert({ ...hour, id, ...body }, options));
      expect(front.asked()).toEqual(calls.map((call) => `events.${call}`));
      expect(said).toBeDefined();
    },
  );

  test('a delete is the same, also a second time', async () => {
    const id = await make(guests);
    for (const as of [bob, bob, alice, alice])
      await expectSame(id, (gateway) =>
        gateway.run(
          `mutation ($id: String!, $as: String!) { result: deleteEvent(calendarId: $as, eventId: $id) }`,
          { id, as },
          as,
        ),
      );
    expect(front.asked()).toEqual(['events.delete', 'events.delete', 'events.delete', 'events.delete']);
  });
});
