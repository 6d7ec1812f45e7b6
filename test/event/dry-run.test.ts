import type { GuestNotice } from '../../src/core/notifier.ts';
import { alice, bob, calendars, hour, startEvents, text, type Controls, type EventGateway } from './event-http.harness.ts';

const dry: Controls = { validateOnly: true };
const later = { start: { dateTime: '2026-12-01T10:30:00+01:00' } };

describe('a dry run (validateOnly: true)', () => {
  let gateway: EventGateway;
  const notices: GuestNotice[] = [];
  beforeAll(async () => {
    gateway = await startEvents([], { notifier: { notify: (notice) => notices.push(notice) } });
  });
  afterAll(() => gateway.close());
  beforeEach(() => notices.splice(0));

  const fresh = async (body: object = {}) => (await gateway.insert({ ...hour, summary: 'Plan', ...body })).event;

  describe('of a patch', () => {
    test('shows the event as it would be, and stores nothing', async () => {
      const before = await fresh();
      const stored = await gateway.stored(before.id);
      const tried = await gateway.patch(
        before.id,
        { ...later, summary: 'New', attendees: [{ email: bob }] },
        { ...dry, sendUpdates: 'all' },
      );
      expect(tried.problems).toEqual([]);
      expect(tried.event).toMatchObject({
        ...later,
        summary: 'New',
        attendees: [{ email: bob, responseStatus: 'needsAction' }],
        sequence: 1,
      });
      expect(tried.event.etag).not.toBe(before.etag);
      expect(tried.event.updated > before.updated).toBe(true);
      expect(await gateway.stored(before.id)).toBe(stored);
      expect((await gateway.read(before.id)).event).toEqual(before);
      expect((await gateway.read(before.id, { as: bob })).problems).toEqual(['NOT_FOUND eventId notFound']);
    });

    test('tells no guests', async () => {
      const { id } = await fresh({ attendees: [{ email: 'carol@elsewhere.example' }] });
      const tried = await gateway.patch(id, later, { ...dry, sendUpdates: 'all' });
      expect(tried.guestsNotified).toBe(0);
      expect(notices).toEqual([]);
      expect((await gateway.patch(id, later, { sendUpdates: 'all' })).guestsNotified).toBe(1);
      expect(notices).toHaveLength(1);
    });

    test('that changes nothing keeps the etag, too', async () => {
      const before = await fresh();
      expect((await gateway.patch(before.id, { summary: 'Plan' }, dry)).event).toEqual(before);
    });

    test('finds all that a real one finds: issues, refusals, conditions and warnings', async () => {
      const { id } = await fresh({ attendees: [{ email: bob }] });
      const tries: [object, Controls][] = [
        [{ description: text(9000), gadget: { height: 0 }, end: hour.start }, {}],
        [{ id: 'another', iCalUID: 'another' }, {}],
        [{ summary: 'Bob’s' }, { as: bob }],
        [{ summary: 'New' }, { ifMatch: '"old"' }],
        [{ kind: 'other', conferenceData: { notes: 'x' }, attachments: [] }, {}],
        [{ reminders: { overrides: [{ method: 'sms', minutes: 1 }] } }, {}],
        [{ summary: 'New' }, { maxAttendees: 0 }],
      ];
      for (const [body, options] of tries) {
        const tried = await gateway.patch(id, body, { ...options, ...dry });
        const real = await gateway.patch(id, body, options);
        expect([...tried.problems, ...tried.notes].length).toBeGreaterThan(0);
        expect({ problems: tried.problems, notes: tried.notes }).toEqual({ problems: real.problems, notes: real.notes });
      }
    });

    test('does not make the conference that it shows', async () => {
      const { id } = await fresh();
      const conferenceData = { createRequest: { requestId: 'r1', conferenceSolutionKey: { type: 'hostedCall' } } };
      const tried = await gateway.patch(id, { conferenceData }, { ...dry, conferenceDataVersion: 1 });
      expect(tried.event.conferenceData.createRequest.status).toEqual({ statusCode: 'success' });
      expect((await gateway.read(id)).event).toMatchObject({ conferenceData: null, callLink: null });
    });

    test('cancels and restores nothing', async () => {
      const before = await fresh();
      expect((await gateway.patch(before.id, { status: 'cancelled' }, dry)).event.status).toBe('cancelled');
      expect((await gateway.read(before.id)).event).toEqual(before);
    });
  });

  describe('of an insert', () => {
    test('shows the event as it would be, and stores nothing', async () => {
      const tried = await gateway.insert(
        { ...hour, id: 'trial', summary: 'Trial', attendees: [{ email: bob }] },
        { ...dry, sendUpdates: 'all' },
      );
      expect(tried.event).toMatchObject({
        ...hour,
        id: 'trial',
        summary: 'Trial',
        organizer: { email: alice },
        status: 'confirmed',
      });
      expect(tried.guestsNotified).toBe(0);
      expect(notices).toEqual([]);
      expect((await gateway.read('trial')).problems).toEqual(['NOT_FOUND eventId notFound']);
      expect((await gateway.read('trial', { as: bob })).problems).toEqual(['NOT_FOUND eventId notFound']);
      expect((await gateway.insert({ ...hour, id: 'trial' })).problems).toEqual([]);
    });

    test.each<[string, object, string[]]>([
      ['broken rules', { ...hour, id: 'W', colorId: '12' }, ['event.colorId invalid', 'event.id invalid', 'event.id invalid']],
      ['missing times', { summary: 'When?' }, ['event.start required', 'event.end required']],
      [
        'a null in a map',
        { ...hour, extendedProperties: { shared: { k: null } } },
        ['event.extendedProperties.shared.k required'],
      ],
    ])('finds %s', async (_name, body, problems) => {
      const found = (await gateway.insert(body, dry)).problems;
      expect(found).toEqual(problems.map((problem) => `BAD_USER_INPUT ${problem}`));
      expect((await gateway.insert(body)).problems).toEqual(found);
    });

    test('finds an id that is taken', async () => {
      await gateway.insert({ ...hour, id: 'taken' });
      expect((await gateway.insert({ ...hour, id: 'taken' }, dry)).problems).toEqual(['CONFLICT event.id duplicate']);
    });
  });

  test('validateOnly: false and null store as usual', async () => {
    for (const validateOnly of [false, null]) {
      const { event } = await gateway.insert(hour, { validateOnly });
      await gateway.patch(event.id, { summary: 'Stored' }, { validateOnly });
      expect((await gateway.read(event.id)).event.summary).toBe('Stored');
    }
  });

  test('of a calendar that is not the caller’s is refused like any write', async () => {
    expect(calendars()[1]).toMatchObject({ acl: [{ email: alice, role: 'reader' }] });
    const { problems } = await gateway.insert(hour, { ...dry, calendarId: bob });
    expect(problems).toEqual(['FORBIDDEN calendarId forbidden']);
  });
});
