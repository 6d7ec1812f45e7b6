import { bob, day, hour, startEvents, type Controls, type EventGateway } from './event-http.harness.ts';

const both: Controls = { supportsAttachments: true, conferenceDataVersion: 1 };
const file = { fileUrl: 'https://files.example.org/plan', title: 'Plan', mimeType: 'application/pdf' };

/** A body that fills every part a client can set. */
const full = {
  ...hour,
  summary: 'Summary',
  description: 'Description',
  location: 'Room 3',
  colorId: '4',
  status: 'tentative',
  transparency: 'transparent',
  visibility: 'private',
  anyoneCanAddSelf: true,
  endTimeUnspecified: true,
  guestsCanInviteOthers: false,
  guestsCanModify: true,
  guestsCanSeeOtherGuests: false,
  attachments: [file],
  attendees: [{ email: bob, displayName: 'Bob', optional: true }],
  extendedProperties: { private: { a: '1', b: '2' }, shared: { c: '3', d: '4' } },
  gadget: {
    display: 'chip',
    height: 10,
    width: 20,
    title: 'Count',
    type: 'html',
    link: 'https://w.example',
    preferences: { x: '1', y: '2' },
  },
  reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
  source: { title: 'Tracker', url: 'https://issues.example.org/1' },
  conferenceData: {
    createRequest: { requestId: 'r1', conferenceSolutionKey: { type: 'eventCall' } },
    notes: 'Notes',
    parameters: { addOnParameters: { parameters: { p: '1', q: '2' } } },
  },
};

describe('a patch', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  const fresh = async () => {
    const { event, problems } = await gateway.insert(full, both);
    expect(problems).toEqual([]);
    return event;
  };

  describe('leaves every field alone that it does not name, and', () => {
    // What the patch sends, and what of the answer differs by it.
    test.each<[string, object, object]>([
      ['sets a scalar', { summary: 'Other' }, { summary: 'Other' }],
      ['clears a scalar', { description: null }, { description: null }],
      ['sets an empty text', { location: '' }, { location: '' }],
      [
        'replaces a list as a whole',
        { attachments: [{ fileUrl: 'https://files.example.org/b' }] },
        { attachments: [{ fileUrl: 'https://files.example.org/b', fileId: null, iconLink: null, mimeType: null, title: null }] },
      ],
      ['empties a list', { attachments: [] }, { attachments: [] }],
      ['clears a list', { attachments: null }, { attachments: null }],
      ['merges an object', { source: { title: 'Other' } }, { source: { title: 'Other', url: full.source.url } }],
      ['clears a field of an object', { source: { title: null } }, { source: { title: null, url: full.source.url } }],
      ['clears an object', { source: null }, { source: null }],
      ['clears an object by its fields', { source: { title: null, url: null } }, { source: null }],
      ['leaves an object alone that is sent empty', { source: {} }, {}],
      [
        'merges an object with a map in it',
        { gadget: { width: 30, height: null } },
        { gadget: { ...full.gadget, iconLink: null, width: 30, height: null } },
      ],
      [
        'merges a map',
        { extendedProperties: { private: { b: '3', e: '5' } } },
        { extendedProperties: { ...full.extendedProperties, private: { a: '1', b: '3', e: '5' } } },
      ],
      [
        'removes an entry of a map',
        { extendedProperties: { shared: { c: null } } },
        { extendedProperties: { ...full.extendedProperties, shared: { d: '4' } } },
      ],
      ['removes an entry that is not there', { extendedProperties: { shared: { z: null } } }, {}],
      [
        'removes all entries of a map',
        { extendedProperties: { shared: { c: null, d: null } } },
        { extendedProperties: { ...full.extendedProperties, shared: null } },
      ],
      [
        'clears a map',
        { extendedProperties: { private: null } },
        { extendedProperties: { private: null, shared: full.extendedProperties.shared } },
      ],
      ['clears both maps', { extendedProperties: null }, { extendedProperties: null }],
      [
        'merges a map in an object',
        { gadget: { preferences: { x: null, z: '3' } } },
        { gadget: { ...full.gadget, iconLink: null, preferences: { y: '2', z: '3' } } },
      ],
      ['replaces a list in an object', { reminders: { overrides: [] } }, { reminders: { useDefault: false, overrides: [] } }],
      ['clears a list in an object', { reminders: { overrides: null } }, { reminders: { useDefault: false, overrides: null } }],
      ['clears a flag in an object', { reminders: { useDefault: null } }, { reminders: { ...full.reminders, useDefault: null } }],
      [
        'goes back to the defaults with null',
        { transparency: null, visibility: null },
        { transparency: 'opaque', visibility: 'default' },
      ],
      [
        'goes back to the defaults by name',
        { transparency: 'opaque', visibility: 'default' },
        { transparency: 'opaque', visibility: 'default' },
      ],
      [
        'clears every flag',
        {
          anyoneCanAddSelf: null,
          endTimeUnspecified: null,
          guestsCanInviteOthers: null,
          guestsCanModify: null,
          guestsCanSeeOtherGuests: null,
        },
        {
          anyoneCanAddSelf: false,
          endTimeUnspecified: false,
          guestsCanInviteOthers: true,
          guestsCanModify: false,
          guestsCanSeeOtherGuests: true,
        },
      ],
      ['confirms with null', { status: null }, { status: 'confirmed', sequence: 1 }],
      [
        'sets a zone beside the time',
        { start: { timeZone: 'Europe/Berlin' } },
        { start: { ...full.start, date: null, timeZone: 'Europe/Berlin' }, sequence: 1 },
      ],
    ])('%s', async (_name, body, difference) => {
      const before = await fresh();
      const { event, problems, notes } = await gateway.patch(before.id, body, both);
      expect({ problems, notes }).toEqual({ problems: [], notes: [] });
      const { etag, updated } = event;
      expect(event).toEqual({ ...before, ...difference, etag, updated });
      expect(etag === before.etag).toBe(Object.keys(difference).length === 0);
      expect(Date.parse(updated) > Date.parse(before.updated)).toBe(Object.keys(difference).length > 0);
      expect((await gateway.read(before.id)).event).toEqual(event);
    });

    test('merges the deepest map', async () => {
      const before = await fresh();
      const parameters = (map: object | null) => ({ conferenceData: { parameters: { addOnParameters: { parameters: map } } } });
      const patched = await gateway.patch(before.id, parameters({ p: null, r: '3' }), both);
      expect(patched.event.conferenceData).toEqual({
        ...before.conferenceData,
        ...parameters({ q: '2', r: '3' }).conferenceData,
      });
      const cleared = await gateway.patch(before.id, parameters(null), both);
      expect(cleared.event.conferenceData).toEqual({ ...before.conferenceData, parameters: null });
    });
  });

  test('a variable that is not sent leaves out what a literal names with it, null clears', async () => {
    const before = await fresh();
    const document = `mutation ($id: String!, $summary: String, $title: String, $url: String, $a: String, $b: String, $c: String) {
      result: patchEvent(calendarId: "primary", eventId: $id, event: {
        summary: $summary, description: null, source: { title: $title, url: $url },
        extendedProperties: { private: { a: $a, b: $b, c: $c } }
      }) { summary description source { title url } extendedProperties { private shared } } }`;
    const { event, problems } = await gateway.run(document, { id: before.id, title: null, b: null, c: 'new' });
    expect(problems).toEqual([]);
    expect(event).toEqual({
      summary: full.summary,
      description: null,
      source: { title: null, url: full.source.url },
      extendedProperties: { private: { a: '1', c: 'new' }, shared: full.extendedProperties.shared },
    });
  });

  test('start and end can be changed, not cleared', async () => {
    const { id } = await fresh();
    const required = (field: string) => [`BAD_USER_INPUT event.${field} required`];
    expect((await gateway.patch(id, { start: null })).problems).toEqual(required('start'));
    expect((await gateway.patch(id, { end: null })).problems).toEqual(required('end'));
    expect((await gateway.patch(id, { end: { dateTime: null } })).problems).toEqual(required('end'));
  });

  test('one that changes nothing keeps etag and updated, whatever it names', async () => {
    const before = await fresh();
    const stored = await gateway.stored(before.id);
    const nothings: object[] = [
      {},
      full,
      before,
      { gadget: null, ...before },
      { kind: 'calendar#event' },
      { reminders: full.reminders },
      { callLink: before.callLink },
      { start: { date: null } },
      { sequence: before.sequence },
      { iCalUID: before.iCalUID },
      { extendedProperties: { private: { z: null } } },
      { recurrence: null },
      { recurringEventId: null, originalStartTime: null },
      { attendees: [{ ...full.attendees[0], email: bob, responseStatus: 'needsAction', additionalGuests: 0 }] },
    ];
    for (const body of nothings) {
      const { event, problems, notes } = await gateway.patch(before.id, body, both);
      expect({ problems, notes }).toEqual({ problems: [], notes: [] });
      expect(event).toEqual(before);
      expect(await gateway.stored(before.id)).toBe(stored);
    }
  });

  test('each change gets another etag and a later time, even within one tick of the clock', async () => {
    const now = Date.now();
    const still = await startEvents([{ id: 'still', ...hour }], { clock: () => now });
    const tags = new Set<string>();
    let last = '';
    for (const summary of ['a', 'b', 'a', 'b', 'c']) {
      const { event } = await still.patch('still', { summary, colorId: summary === 'c' ? '1' : null });
      expect(event.updated > last).toBe(true);
      expect(event.etag).toMatch(/^"[^"]+"$/);
      last = event.updated;
      tags.add(event.etag);
    }
    expect(tags.size).toBe(5);
    await still.close();
  });

  test.each<[string, unknown]>([
    ['created', '2020-01-01T00:00:00Z'],
    ['updated', '2020-01-01T00:00:00Z'],
    ['kind', 'calendar#other'],
    ['etag', '"other"'],
    ['htmlLink', 'https://elsewhere.example'],
    ['callLink', 'https://elsewhere.example'],
    ['locked', true],
    ['creator', { email: bob }],
    ['organizer', { email: bob, displayName: 'Bob' }],
    ['creator', null],
  ])('%s is read-only: ignored, with a warning when it differs', async (field, value) => {
    const before = await fresh();
    const { event, problems, notes } = await gateway.patch(before.id, { [field]: value });
    expect(problems).toEqual([]);
    expect(notes).toEqual([`event.${field} readOnly`]);
    expect(event).toEqual(before);
    expect((await gateway.patch(before.id, { [field]: before[field] })).notes).toEqual([]);
  });

  test('the parts of an attachment the server fills in stay with its fileUrl, and others are ignored', async () => {
    const { id } = await fresh();
    await gateway.disturb(id, { attachments: [{ ...file, fileId: 'f1', iconLink: 'https://icons.example/pdf' }] });
    const renamed = await gateway.patch(
      id,
      { attachments: [{ fileUrl: 'https://b.example' }, { fileUrl: file.fileUrl, title: 'New', fileId: 'f2' }] },
      both,
    );
    expect(renamed.notes).toEqual(['event.attachments.1.fileId readOnly']);
    expect(renamed.event.attachments).toEqual([
      { fileUrl: 'https://b.example', fileId: null, iconLink: null, mimeType: null, title: null },
      { fileUrl: file.fileUrl, fileId: 'f1', iconLink: 'https://icons.example/pdf', mimeType: null, title: 'New' },
    ]);
    const moved = await gateway.patch(id, { attachments: [{ fileUrl: 'https://c.example', fileId: 'f1' }] }, both);
    expect(moved.notes).toEqual(['event.attachments.0.fileId readOnly']);
    expect(moved.event.attachments).toMatchObject([{ fileId: null }]);
  });

  test.each<[string, unknown]>([
    ['id', 'another'],
    ['iCalUID', 'another@example.org'],
    ['iCalUID', null],
    ['recurringEventId', 'another'],
    ['originalStartTime', { date: '2026-12-01' }],
    ['privateCopy', true],
  ])('%s is immutable: another value is an error, the same one passes', async (field, value) => {
    const before = await fresh();
    const { problems } = await gateway.patch(before.id, { [field]: value, summary: 'Not stored' });
    expect(problems).toEqual([`BAD_USER_INPUT event.${field} immutable`]);
    expect((await gateway.read(before.id)).event).toEqual(before);
    expect((await gateway.patch(before.id, { [field]: before[field] })).problems).toEqual([]);
  });

  test('an all-day event keeps what was not sent, too', async () => {
    const { event } = await gateway.insert({ ...day, summary: 'Day' });
    expect((await gateway.patch(event.id, { end: { date: '2026-12-03' } })).event).toMatchObject({
      summary: 'Day',
      start: { date: '2026-12-01', dateTime: null },
      end: { date: '2026-12-03', dateTime: null },
    });
  });
});
