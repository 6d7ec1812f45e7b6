import { alice, berlin, bob, hour, startEvents, type EventGateway, type Outcome } from './event-http.harness.ts';

const carol = 'carol@example.com';
const dana = 'dana@elsewhere.example';
const rita = 'rita@example.com';
const guests = [{ email: alice }, { email: bob, displayName: 'Bob' }, { email: carol }, { email: dana }];

const calendars = [
  { id: alice, owner: alice, timeZone: berlin, acl: [{ email: rita, role: 'reader' }] },
  { id: bob, owner: bob, timeZone: berlin },
  { id: carol, owner: carol, timeZone: berlin },
];

describe('the copies of one event', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents([], { seed: { calendars } });
  });
  afterAll(() => gateway.close());

  const make = async (more: object = {}): Promise<string> => {
    const { event, problems } = await gateway.insert({ ...hour, summary: 'Plan', attendees: guests, ...more });
    expect(problems).toEqual([]);
    return event.id;
  };
  const seenBy = async (as: string, id: string) => (await gateway.read(id, { as })).event;
  const etags = async (id: string) => Promise.all([alice, bob, carol].map(async (as) => (await seenBy(as, id)).etag as string));
  const answer = (as: string, id: string, own: object): Promise<Outcome> =>
    gateway.patch(id, { attendeesOmitted: true, attendees: [{ email: as, ...own }] }, { as });

  test('an event appears on the calendar of every guest who has one here, with the same iCalUID', async () => {
    const id = await make();
    const [hers, his] = [await seenBy(alice, id), await seenBy(bob, id)];
    expect(his).toMatchObject({ id, summary: 'Plan', iCalUID: hers.iCalUID, start: hour.start, status: 'confirmed' });
    expect(his.htmlLink).not.toBe(hers.htmlLink);
  });

  describe('what belongs to a copy stays there', () => {
    const own = {
      colorId: '5', transparency: 'transparent', visibility: 'private',
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 3 }] }, extendedProperties: { private: { mine: 'yes' } },
    };
    const unset = { colorId: null, transparency: 'opaque', visibility: 'default', reminders: null };

    test.each([alice, bob])('when it is changed on the calendar of %s', async (as) => {
      const id = await make();
      expect((await gateway.patch(id, own, { as })).event).toMatchObject(own);
      for (const other of [alice, bob, carol].filter((name) => name !== as)) {
        const seen = await seenBy(other, id);
        expect(seen).toMatchObject(unset);
        expect(seen.extendedProperties?.private ?? null).toBeNull();
      }
    });

    test('the fields a new event is made with are its maker’s own', async () => {
      const id = await make({ ...own, extendedProperties: { ...own.extendedProperties, shared: { all: 'yes' } } });
      expect(await seenBy(alice, id)).toMatchObject(own);
      expect(await seenBy(bob, id)).toMatchObject({ ...unset, extendedProperties: { private: null, shared: { all: 'yes' } } });
    });

    test('and so does the map of the other copies', async () => {
      const id = await make();
      await gateway.patch(id, { extendedProperties: { private: { mine: 'alice' }, shared: { all: 'x' } } });
      const { event: his } = await gateway.patch(id, { extendedProperties: { private: { mine: 'bob' } } }, { as: bob });
      expect(his.extendedProperties).toEqual({ private: { mine: 'bob' }, shared: { all: 'x' } });
      expect((await gateway.patch(id, { extendedProperties: { private: null } }, { as: bob })).problems).toEqual([]);
      expect((await seenBy(alice, id)).extendedProperties).toEqual({ private: { mine: 'alice' }, shared: { all: 'x' } });
    });
  });

  test('a change by the organizer is seen on every copy', async () => {
    const id = await make();
    const change = { summary: 'New', location: 'Room 1', extendedProperties: { shared: { a: 'b' } }, status: 'tentative', guestsCanModify: true };
    await gateway.patch(id, change);
    for (const as of [bob, carol]) expect(await seenBy(as, id)).toMatchObject(change);
  });

  test('a change by a guest who may make it is seen on every copy', async () => {
    const id = await make({ guestsCanModify: true });
    await gateway.patch(id, { summary: 'Bob’s' }, { as: bob });
    for (const as of [alice, carol]) expect((await seenBy(as, id)).summary).toBe('Bob’s');
  });

  test('a response on one copy is seen by the organizer and the other guests', async () => {
    const id = await make();
    await answer(bob, id, { responseStatus: 'declined', comment: 'Away', additionalGuests: 1 });
    for (const as of [alice, carol]) {
      expect((await seenBy(as, id)).attendees[1]).toMatchObject({ email: bob, responseStatus: 'declined', comment: 'Away', additionalGuests: 1 });
    }
  });

  test('self and organizer are worked out for the calendar that is asked', async () => {
    const id = await make();
    for (const [as, calendarId] of [[alice, alice], [rita, alice], [bob, bob], [carol, carol]] as const) {
      const { event } = await gateway.read(id, { as, calendarId });
      expect(event.attendees.map(({ self }: { self: boolean }) => self)).toEqual(guests.map(({ email }) => email === calendarId));
      expect(event.attendees.map(({ organizer }: { organizer: boolean }) => organizer)).toEqual([true, false, false, false]);
      expect(event.organizer).toMatchObject({ email: alice, self: calendarId === alice });
      expect(event.creator).toMatchObject({ email: alice, self: calendarId === alice });
    }
  });

  test('a private copy is not shared, and takes every change', async () => {
    const id = await make({ privateCopy: true });
    expect((await gateway.read(id, { as: bob })).problems).toEqual(['NOT_FOUND eventId notFound']);
    const { problems, event } = await gateway.patch(id, { summary: 'Mine', attendees: [{ email: bob }, { email: 'new@elsewhere.example' }] });
    expect({ problems, summary: event.summary, privateCopy: event.privateCopy }).toEqual({ problems: [], summary: 'Mine', privateCopy: true });
    expect((await gateway.read(id, { as: bob })).problems).toEqual(['NOT_FOUND eventId notFound']);
  });

  test('a private copy of what somebody else organizes is its owner’s to change, and to cancel and restore', async () => {
    const mine = { id: 'private', summary: 'Theirs', ...hour, privateCopy: true, organizer: { email: dana }, attendees: [{ email: bob }] };
    const other = await startEvents([mine]);
    expect((await other.patch('private', { summary: 'Mine', attendees: [{ email: dana }], guestsCanModify: false })).problems).toEqual([]);
    const { event } = await other.patch('private', { status: 'cancelled' });
    expect(event).toMatchObject({ summary: 'Mine', status: 'cancelled', organizer: { email: dana, self: false } });
    expect((await other.patch('private', { status: 'tentative' })).event.status).toBe('tentative');
    await other.close();
  });

  describe('a guest who is taken off the list', () => {
    const without = (email: string) => ({ attendees: guests.filter((guest) => guest.email !== email) });

    test('keeps a cancelled copy with its id only', async () => {
      const id = await make({ source: { url: 'https://x.example/1' }, extendedProperties: { shared: { a: 'b' } } });
      await gateway.patch(id, { colorId: '4' }, { as: bob });
      await gateway.patch(id, without(bob));
      const left = Object.entries(await seenBy(bob, id)).filter(([, value]) => value !== null).map(([name]) => name);
      expect(left.sort()).toEqual(['etag', 'id', 'kind', 'status', 'updated']);
      expect(await seenBy(bob, id)).toMatchObject({ id, kind: 'calendar#event', status: 'cancelled' });
      expect(await seenBy(carol, id)).toMatchObject({ summary: 'Plan', status: 'confirmed' });
    });

    test('cannot change it, nor bring it back', async () => {
      const id = await make();
      await gateway.patch(id, without(bob));
      for (const change of [{ colorId: '4' }, { status: 'confirmed' }, { attendees: guests }, {}]) {
        expect((await gateway.patch(id, change, { as: bob })).problems).toEqual(['FORBIDDEN event.status forbidden']);
      }
    });

    test('does not learn from etag or updated that the event changes', async () => {
      const id = await make();
      await gateway.patch(id, without(bob));
      const left = await seenBy(bob, id);
      await gateway.patch(id, { summary: 'Secret', status: 'tentative' });
      expect(await seenBy(bob, id)).toEqual(left);
    });

    test('has it again with all of the own when invited again', async () => {
      const id = await make();
      await gateway.patch(id, { colorId: '4' }, { as: bob });
      const [, before] = await etags(id);
      await gateway.patch(id, without(bob));
      const [, removed] = await etags(id);
      await gateway.patch(id, { summary: 'New', attendees: guests.map((guest) => ({ ...guest, email: guest.email.toUpperCase() })) });
      expect(await seenBy(bob, id)).toMatchObject({ id, status: 'confirmed', summary: 'New', colorId: '4' });
      const [, after] = await etags(id);
      expect(new Set([before, removed, after]).size).toBe(3);
    });

    test('by an own change, where guests may modify, loses it as well', async () => {
      const id = await make({ guestsCanModify: true });
      const { event } = await gateway.patch(id, without(bob), { as: bob });
      expect(event).toMatchObject({ id, status: 'cancelled', summary: null, attendees: null });
    });
  });

  test('the organizer on the own guest list can be taken off it and keeps the event', async () => {
    const id = await make();
    await gateway.patch(id, { attendees: guests.slice(1) });
    expect(await seenBy(alice, id)).toMatchObject({ summary: 'Plan', status: 'confirmed' });
  });

  describe('etag and updated', () => {
    test('change with every change that a copy shows, and not with another’s own', async () => {
      const id = await make();
      const seen = [await etags(id)];
      const step = async (changed: readonly boolean[], run: () => Promise<Outcome>) => {
        expect((await run()).problems).toEqual([]);
        const [before, after] = [seen.at(-1) as string[], await etags(id)];
        expect(after.map((etag, index) => etag !== before[index])).toEqual(changed);
        seen.push(after);
      };
      await step([true, true, true], () => gateway.patch(id, { summary: 'New' }));
      await step([true, false, false], () => gateway.patch(id, { colorId: '2' }));
      await step([false, true, false], () => gateway.patch(id, { reminders: { useDefault: true } }, { as: bob }));
      await step([true, true, true], () => answer(carol, id, { responseStatus: 'accepted' }));
      await step([false, true, false], () => gateway.patch(id, { status: 'cancelled' }, { as: bob }));
      await step([false, true, false], () => gateway.patch(id, { status: 'confirmed' }, { as: bob }));
      await step([true, true, true], () => gateway.patch(id, { attendees: guests.slice(0, 2) }));
      await step([true, true, false], () => gateway.patch(id, { summary: 'Newer' }));
      for (const copy of [0, 1, 2]) {
        const different = seen.map((all) => all[copy]).filter((etag, index, all) => etag !== all[index - 1]);
        expect(new Set(different).size).toBe(different.length);
      }
    });

    test('are quoted, and fit ifMatch on their own copy only', async () => {
      const id = await make();
      await gateway.patch(id, { colorId: '2' });
      const [hers, his] = await etags(id);
      expect(hers).toMatch(/^"[^"]+"$/);
      expect((await gateway.patch(id, { summary: 'x' }, { ifMatch: his })).problems).toEqual(['PRECONDITION_FAILED ifMatch conditionNotMet']);
      expect((await gateway.patch(id, { summary: 'x' }, { ifMatch: hers })).problems).toEqual([]);
    });

    test.each<[string, object]>([
      ['nothing', {}], ['the same title', { summary: 'Plan' }], ['defaults', { status: 'confirmed', guestsCanModify: false, sequence: 0 }],
      ['null for what is not there', { description: null, colorId: null, extendedProperties: { private: { x: null } } }],
      ['the same guests', { attendees: guests }],
    ])('stay when a patch changes nothing: %s', async (_name, change) => {
      const id = await make();
      const before = await seenBy(alice, id);
      expect((await gateway.patch(id, change)).event).toEqual(before);
      expect(await seenBy(alice, id)).toEqual(before);
    });

    test.each([alice, bob])('stay when %s sends the event back as it was read', async (as) => {
      const id = await make({ colorId: '3', extendedProperties: { private: { a: 'b' }, shared: { c: 'd' } } });
      const read = await seenBy(as, id);
      const { event, notes, problems } = await gateway.patch(id, read, { as });
      expect({ event, notes, problems }).toEqual({ event: read, notes: [], problems: [] });
    });
  });

  describe('an id that another event has on a guest’s calendar', () => {
    test('leaves that event alone, and the copy gets one of its own', async () => {
      await gateway.insert({ ...hour, id: 'taken1', summary: 'Bob’s own' }, { as: bob });
      const { event: hers } = await gateway.insert({ ...hour, id: 'taken1', summary: 'Plan', attendees: guests });
      expect(hers.id).toBe('taken1');
      expect((await seenBy(bob, 'taken1')).summary).toBe('Bob’s own');
      const record = await gateway.stored('taken1', alice);
      const copyId = record?.copies[bob]?.id as string;
      expect(copyId).not.toBe('taken1');
      expect(await seenBy(bob, copyId)).toMatchObject({ id: copyId, summary: 'Plan', iCalUID: hers.iCalUID });
      await gateway.patch('taken1', { summary: 'New' });
      expect((await seenBy(bob, copyId)).summary).toBe('New');
      expect((await gateway.patch(copyId, { id: 'taken1' }, { as: bob })).problems).toEqual(['BAD_USER_INPUT event.id immutable']);
      expect((await gateway.patch(copyId, { id: copyId, colorId: '1' }, { as: bob })).problems).toEqual([]);
    });

    test('also when the guest is invited later', async () => {
      await gateway.insert({ ...hour, id: 'taken2', summary: 'Carol’s own' }, { as: carol });
      await gateway.insert({ ...hour, id: 'taken2', summary: 'Plan', attendees: [] });
      await gateway.patch('taken2', { attendees: [{ email: carol }] });
      expect((await seenBy(carol, 'taken2')).summary).toBe('Carol’s own');
      const copyId = (await gateway.stored('taken2', alice))?.copies[carol]?.id as string;
      expect((await seenBy(carol, copyId)).summary).toBe('Plan');
    });
  });

  test('a guest invited later has a copy from then on', async () => {
    const id = await make({ attendees: [] });
    expect((await gateway.read(id, { as: bob })).problems).toEqual(['NOT_FOUND eventId notFound']);
    await gateway.patch(id, { attendees: [{ email: 'BOB@Example.COM' }] });
    expect((await seenBy(bob, id)).attendees).toMatchObject([{ email: 'BOB@Example.COM', self: true }]);
  });
});
