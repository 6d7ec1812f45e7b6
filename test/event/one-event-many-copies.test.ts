import { startGateway } from '../harness.ts';
import { alice, berlin, bob, startEvents, type EventGateway, type Outcome } from './event-http.harness.ts';

const [carol, carl, rita, fred] = ['carol', 'carl', 'rita', 'fred'].map((name) => `${name}@example.com`) as [string, string, string, string];
const eve = 'eve@elsewhere.example';
const hour = { start: { dateTime: '2026-12-01T10:00:00+01:00' }, end: { dateTime: '2026-12-01T11:00:00+01:00' } };
const acl = [{ email: carl, role: 'writer' }, { email: rita, role: 'reader' }, { email: fred, role: 'freeBusyReader' }];
const calendar = (owner: string, events: readonly object[] = []) => ({ id: owner, owner, timeZone: berlin, acl, events });

/** Alice organizes; Bob and Carol are guests with calendars here, Eve has none. Carl writes and Rita reads all calendars. */
const invitation = {
  summary: 'Planning', ...hour,
  attendees: [{ email: alice, responseStatus: 'accepted' }, { email: bob }, { email: carol }, { email: eve, displayName: 'Eve' }],
};

describe('one event on many calendars', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    const own = ['takenid', 'takenlater'].map((id) => ({ id, iCalUID: `${id}@elsewhere.example`, summary: "Carol's own", ...hour }));
    gateway = await startEvents([], { seed: { calendars: [calendar(alice), calendar(bob), calendar(carol, own)] } });
  });
  afterAll(() => gateway.close());

  const make = async (body: object = {}, as = alice): Promise<string> => {
    const { event, problems } = await gateway.insert({ ...invitation, ...body }, { as, calendarId: alice });
    expect(problems).toEqual([]);
    return event.id;
  };
  const on = async (calendarId: string, id: string, as = calendarId) => (await gateway.read(id, { as, calendarId })).event;
  const change = async (id: string, body: object, as = alice, calendarId = as): Promise<Outcome> => {
    const answer = await gateway.patch(id, body, { as, calendarId });
    expect(answer.problems).toEqual([]);
    return answer;
  };
  const emails = ({ attendees }: { attendees: { email: string }[] | null }) => attendees?.map(({ email }) => email);

  describe('what belongs to a copy stays there:', () => {
    test.each([
      ['reminders', { reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] } }],
      ['private properties', { extendedProperties: { private: { mine: '1' } } }],
      ['colour', { colorId: '5' }],
      ['transparency', { transparency: 'transparent' }],
      ['visibility', { visibility: 'private' }],
    ])('%s', async (_name, own) => {
      const id = await make();
      const others = await Promise.all([on(alice, id), on(carol, id)]);
      const { event } = await change(id, own, bob);
      expect(event).toMatchObject(own);
      expect(await on(bob, id)).toEqual(event);
      expect(await Promise.all([on(alice, id), on(carol, id)])).toEqual(others);
    });

    test("what the organizer sets of it on creation is not the guests'", async () => {
      const own = { reminders: { useDefault: true }, extendedProperties: { private: { a: '1' } }, colorId: '2', transparency: 'transparent', visibility: 'private' };
      const id = await make(own);
      expect(await on(alice, id)).toMatchObject({ ...own, reminders: { useDefault: true, overrides: null } });
      expect(await on(bob, id)).toMatchObject({ reminders: null, extendedProperties: null, colorId: null, transparency: 'opaque', visibility: 'default' });
    });
  });

  describe('what is shared is seen on every copy:', () => {
    test('what the organizer changes', async () => {
      const id = await make();
      const shared = { summary: 'Other', location: 'Room 3', extendedProperties: { shared: { ours: '1' } } };
      await change(id, shared);
      for (const calendarId of [alice, bob, carol]) expect(await on(calendarId, id)).toMatchObject(shared);
    });

    test('what a guest changes who may', async () => {
      const id = await make({ guestsCanModify: true });
      await change(id, { summary: 'By Bob' }, bob);
      for (const calendarId of [alice, bob, carol]) expect(await on(calendarId, id)).toMatchObject({ summary: 'By Bob' });
    });

    test("a guest's response, by the organizer and the other guests", async () => {
      const id = await make();
      const mine = { responseStatus: 'tentative', comment: 'Perhaps', additionalGuests: 2 };
      await change(id, { attendeesOmitted: true, attendees: [{ email: bob, ...mine }] }, bob);
      for (const calendarId of [alice, bob, carol]) {
        const { attendees } = await on(calendarId, id);
        expect(attendees[1]).toMatchObject({ email: bob, ...mine, self: calendarId === bob });
        expect(attendees[0]).toMatchObject({ email: alice, responseStatus: 'accepted' });
      }
    });

    test('id and iCalUID', async () => {
      const id = await make();
      const [home, copy] = await Promise.all([on(alice, id), on(bob, id)]);
      expect(copy).toMatchObject({ id, iCalUID: home.iCalUID, summary: home.summary, created: home.created });
    });
  });

  test('self and organizer are told for the calendar that is asked, whoever asks', async () => {
    const id = await make({}, carl);
    for (const [calendarId, as] of [[alice, alice], [alice, rita], [bob, bob], [bob, carl], [carol, rita]] as const) {
      const { attendees, organizer, creator } = await on(calendarId, id, as);
      expect(attendees.map((entry: { self: boolean }) => entry.self)).toEqual([alice, bob, carol, eve].map((email) => email === calendarId));
      expect(attendees.map((entry: { organizer: boolean }) => entry.organizer)).toEqual([true, false, false, false]);
      expect(organizer).toMatchObject({ email: alice, self: calendarId === alice });
      expect(creator).toMatchObject({ email: carl, self: false });
    }
  });

  test('a private copy is nobody else\'s: guests with calendars here do not get it, and its owner may change all of it', async () => {
    const { event } = await gateway.insert({ ...invitation, privateCopy: true }, { as: bob, calendarId: bob });
    const { id } = event;
    expect(event).toMatchObject({ privateCopy: true });
    expect((await gateway.read(id, { as: alice, calendarId: alice })).problems).toEqual(['NOT_FOUND eventId notFound']);
    await change(id, { summary: 'Mine', attendees: [{ email: carol }] }, bob);
    expect((await gateway.read(id, { as: carol, calendarId: carol })).problems).toEqual(['NOT_FOUND eventId notFound']);
  });

  test('a private copy of somebody else\'s event may be changed by whoever has it', async () => {
    const imported = { id: 'copied', summary: 'Theirs', privateCopy: true, organizer: { email: 'they@elsewhere.example' }, start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
    const other = await startGateway({}, { seed: { calendars: [{ id: bob, owner: bob, timeZone: 'UTC', events: [imported] }] } });
    const answer = await other.ask(
      'mutation { patchEvent(calendarId: "primary", eventId: "copied", event: { summary: "Mine" }) { summary } }', {}, { as: bob },
    );
    expect([answer.data, answer.errors]).toEqual([{ patchEvent: { summary: 'Mine' } }, undefined]);
    await other.close();
  });

  describe('the guest list', () => {
    test('takes a removed guest\'s copy away but for its id, and gives it back with what was its own', async () => {
      const id = await make();
      await change(id, { colorId: '5' }, bob);
      const before = await on(bob, id);
      await change(id, { attendees: invitation.attendees.filter(({ email }) => email !== bob) });
      const gone = await on(bob, id);
      const told = Object.entries(gone).filter(([, value]) => value !== null).map(([name]) => name).sort();
      expect(told).toEqual(['etag', 'id', 'kind', 'status', 'updated']);
      expect(gone).toMatchObject({ id, status: 'cancelled' });
      expect(gone.etag).not.toBe(before.etag);
      expect(await on(carol, id)).toMatchObject({ status: 'confirmed', summary: 'Planning' });
      expect((await gateway.patch(id, { status: 'confirmed' }, { as: bob })).problems).toEqual(['FORBIDDEN event.status forbidden']);
      await change(id, { attendees: invitation.attendees });
      expect(await on(bob, id)).toMatchObject({ status: 'confirmed', summary: 'Planning', colorId: '5' });
    });

    test('gives a guest who is added later a copy', async () => {
      const id = await make({ attendees: [{ email: bob }] });
      expect((await gateway.read(id, { as: carol, calendarId: carol })).problems).toEqual(['NOT_FOUND eventId notFound']);
      await change(id, { attendees: [{ email: bob }, { email: carol.toUpperCase() }] });
      expect(await on(carol, id)).toMatchObject({ id, summary: 'Planning' });
    });

    test.each(['insert', 'patch'])('gives a guest a copy under another id where %s meets an event that has this one', async (operation) => {
      const id = operation === 'insert' ? 'takenid' : 'takenlater';
      await make({ id, summary: 'With Carol', ...(operation === 'patch' && { attendees: [] }) });
      if (operation === 'patch') await change(id, { attendees: [{ email: carol }] });
      expect(await on(carol, id)).toMatchObject({ summary: "Carol's own" });
      const { data } = await gateway.ask('query ($id: String!) { events(calendarId: $id) { nodes { id iCalUID summary } } }', { id: carol }, { as: carol });
      const { iCalUID } = await on(alice, id);
      const [copy, ...more] = data.events.nodes.filter((node: { iCalUID: string }) => node.iCalUID === iCalUID);
      expect(more).toEqual([]);
      expect(copy).toMatchObject({ summary: 'With Carol', id: expect.stringMatching(/^[a-v0-9]{5,}$/) });
      expect(copy.id).not.toBe(id);
      const answer = await change(copy.id, { colorId: '1', attendeesOmitted: true, attendees: [{ email: carol, comment: 'There' }] }, carol);
      expect(answer.event.id).toBe(copy.id);
      const { colorId, attendees } = await on(alice, id);
      expect([colorId, attendees.at(operation === 'insert' ? 2 : 0).comment]).toEqual([null, 'There']);
    });

    test('that guests do not see is never cut by one of them', async () => {
      const id = await make({ guestsCanSeeOtherGuests: false, guestsCanModify: true });
      const seen = await on(bob, id);
      expect(emails(seen)).toEqual([alice, bob]);
      expect(seen.attendeesOmitted).toBe(true);
      await change(id, { attendees: [{ email: bob, responseStatus: 'accepted' }] }, bob);
      expect(emails(await on(alice, id))?.sort()).toEqual([bob, carol, eve].sort());
      await change(id, { attendees: null }, bob);
      expect(emails(await on(alice, id))?.sort()).toEqual([carol, eve].sort());
      expect(emails(await on(carol, id))).toEqual([carol]);
    });
  });

  describe('the etag of a copy', () => {
    test.each<[string, object, string, readonly string[]]>([
      ["the organizer's change of what is shared", { summary: 'Other' }, alice, [alice, bob, carol]],
      ["a guest's response", { attendeesOmitted: true, attendees: [{ email: bob, comment: 'Hm' }] }, bob, [alice, bob, carol]],
      ["a guest's own change", { colorId: '3' }, bob, [bob]],
      ["the organizer's own change", { colorId: '3' }, alice, [alice]],
      ['a guest taking it off the own calendar', { status: 'cancelled' }, bob, [bob]],
      ['nothing', {}, alice, []],
      ['what it is already', { summary: 'Planning', colorId: null, status: 'confirmed' }, alice, []],
    ])('changes with %s', async (_name, body, as, changed) => {
      const id = await make();
      const all = [alice, bob, carol];
      const tags = async () => Promise.all(all.map(async (calendarId) => (({ etag, updated }) => ({ etag, updated }))(await on(calendarId, id))));
      const before = await tags();
      await change(id, body, as);
      const after = await tags();
      expect(all.filter((_calendar, index) => after[index]?.etag !== before[index]?.etag)).toEqual(changed);
      expect(all.filter((_calendar, index) => after[index]?.updated !== before[index]?.updated)).toEqual(changed);
      for (const { etag } of after) expect(etag).toMatch(/^"[^"]+"$/);
    });

    test('lets a change through only as long as it is the copy\'s', async () => {
      const id = await make();
      const { etag } = await on(bob, id);
      await change(id, { colorId: '3' }, carol);
      expect((await gateway.patch(id, { colorId: '1' }, { as: bob, ifMatch: etag })).problems).toEqual([]);
      expect((await gateway.patch(id, { colorId: '2' }, { as: bob, ifMatch: etag })).problems).toEqual(['PRECONDITION_FAILED ifMatch conditionNotMet']);
      expect((await gateway.patch(id, { colorId: '2' }, { as: bob, ifMatch: '*' })).problems).toEqual([]);
      expect((await gateway.patch(id, { colorId: '4' }, { as: alice, ifMatch: (await on(bob, id)).etag })).problems).toHaveLength(1);
    });
  });
});
