import {
  alice,
  bob,
  carol,
  day,
  documents,
  eve,
  fritz,
  hour,
  idOnly,
  people,
  popup,
  rita,
  type Shown,
  startEvents,
  sten,
  told,
  useEvents,
  wanda,
} from './event.harness.ts';
import { guests } from './list.harness.ts';

/** Alice organizes; Bob and Carol are guests with calendars here, Eve has none. */
const invitation = {
  summary: 'Planning',
  attendees: [
    { email: alice, responseStatus: 'accepted' },
    { email: bob },
    { email: carol },
    { email: eve, displayName: 'Eve' },
  ],
};
const defaults = { useDefault: true, overrides: null };
const mine = (minutes: number) => ({ useDefault: false, overrides: [popup(minutes)] });

describe('one event on many calendars', () => {
  const carols = { ...hour, summary: "Carol's own" };
  const own = ['takenid', 'takenlater'].map((id) => ({ ...carols, id, iCalUID: `${id}@elsewhere.example` }));
  const organizer = { email: 'they@elsewhere.example' };
  const copied = { ...day, id: 'copied', summary: 'Theirs', privateCopy: true, organizer };
  const seeded = { ...hour, id: 'seeded', ...guests(bob), reminders: mine(25) };
  const gateway = useEvents({ seed: { calendars: people([seeded], [copied], own) } });
  const make = async (body: object = {}): Promise<string> =>
    (await gateway.make({ ...invitation, ...body })).id;
  const views = (id: string) => Promise.all([alice, bob, carol].map((owner) => gateway.on(owner, id)));

  test('id and iCalUID are the same on each, self and organizer are told for the calendar that is asked', async () => {
    const { id, iCalUID } = await gateway.make(invitation, { as: wanda });
    for (const [calendarId, as] of [
      [alice, alice],
      [alice, rita],
      [bob, bob],
      [bob, wanda],
      [carol, rita],
    ] as const) {
      const { attendees, organizer, creator, ...event } = await gateway.on(calendarId, id, as);
      expect(event).toMatchObject({ id, iCalUID, summary: 'Planning' });
      expect(attendees.map(({ self }: Shown) => self)).toEqual(
        [alice, bob, carol, eve].map((email) => email === calendarId),
      );
      expect(attendees.map((entry: Shown) => entry.organizer)).toEqual([true, false, false, false]);
      expect(organizer).toMatchObject({ email: alice, self: calendarId === alice });
      expect(creator).toMatchObject({ email: wanda, self: false });
    }
  });

  test("what the organizer sets of the own copy in an insert is not the guests'", async () => {
    const own = {
      reminders: mine(7),
      extendedProperties: { private: { a: '1' } },
      colorId: '2',
      transparency: 'transparent',
      visibility: 'public',
    };
    const [first, second] = await views(await make(own));
    expect(first).toMatchObject(own);
    expect(second).toMatchObject({ reminders: defaults, extendedProperties: null, colorId: null });
    expect(second).toMatchObject({ transparency: 'opaque', visibility: 'default' });
  });

  describe('reminders are those of the signed-in user', () => {
    type Seer = readonly [as: string, calendarId: string];
    const seers: readonly Seer[] = [
      [alice, alice],
      [wanda, alice],
      [bob, bob],
      [wanda, bob],
    ];
    const look = (id: string, by = seers): Promise<Shown[]> =>
      Promise.all(by.map(([as, calendarId]) => gateway.on(calendarId, id, as)));
    const reminders = async (id: string, by = seers): Promise<Shown[]> =>
      (await look(id, by)).map((event) => event.reminders);

    test('until one sets some they are the defaults of the calendar, on each copy', async () => {
      expect(await reminders(await make())).toEqual(seers.map(() => defaults));
      expect(await reminders('seeded', seers.slice(0, 3))).toEqual([mine(25), defaults, defaults]);
    });

    test('each has the own ones on each copy, and only the own etag changes with them', async () => {
      const id = await make();
      for (const [turn, [as, calendarId]] of seers.entries()) {
        const before = await look(id);
        const event = await gateway.change(id, { reminders: mine(turn) }, { as, calendarId });
        expect(event.reminders).toEqual(mine(turn));
        const after = await look(id);
        expect(after[turn].etag).not.toBe(before[turn].etag);
        expect(after.toSpliced(turn, 1)).toEqual(before.toSpliced(turn, 1));
      }
      expect(await reminders(id)).toEqual(seers.map((_seer, turn) => mine(turn)));
      const reset = await gateway.change(id, { reminders: null }, { as: wanda, calendarId: bob });
      expect(reset.reminders).toEqual(defaults);
      expect(await reminders(id)).toEqual([mine(0), mine(1), mine(2), defaults]);
    });

    test('those of an insert are of whoever made it', async () => {
      const { id } = await gateway.make({ reminders: mine(9) }, { as: wanda });
      expect(await reminders(id, seers.slice(0, 2))).toEqual([defaults, mine(9)]);
    });
  });

  describe('the etag and updated of a copy', () => {
    const all = [alice, bob, carol];
    test.each<[string, object, string, readonly string[]]>([
      ["the organizer's change of the shared part", { summary: 'Other' }, alice, all],
      ["a guest's answer", { attendeesOmitted: true, attendees: [{ email: bob, comment: 'Hm' }] }, bob, all],
      ["a guest's own colour", { colorId: '3' }, bob, [bob]],
      ["the organizer's own colour", { colorId: '3' }, alice, [alice]],
      ['nothing', {}, alice, []],
      ['what it is already', { summary: 'Planning', colorId: null, status: 'confirmed' }, alice, []],
    ])('change with %s', async (_name, body, as, changed) => {
      const id = await make();
      const before = await views(id);
      await gateway.change(id, body, { as });
      const after = await views(id);
      expect(all.filter((_owner, index) => after[index]?.etag !== before[index]?.etag)).toEqual(changed);
      expect(all.filter((_owner, index) => after[index]?.updated > before[index]?.updated)).toEqual(changed);
      for (const { etag } of after) expect(etag).toMatch(/^"[^"]+"$/);
    });

    test('grow with every change, even within one tick of the clock', async () => {
      const still = await startEvents({ clock: () => Date.UTC(2026, 10, 1) });
      const seen = [await still.make()];
      const remind = (minutes: number) => ({ reminders: mine(minutes) });
      const named = (summary: string) => ({ summary });
      const first = [named('a'), remind(1), named('b'), remind(2)];
      for (const change of [...first, { colorId: '3' }, remind(3), remind(4), named('a')])
        seen.push(await still.change(seen[0].id, change));
      expect(new Set(seen.map(({ etag }) => etag)).size).toBe(9);
      const moments = seen.map(({ updated }) => updated);
      expect(moments).toEqual([...new Set(moments)].sort());
      await still.close();
    });
  });

  describe('the guest list', () => {
    test('a guest who may modify the event puts it back on the own calendar with another status for all', async () => {
      const { id } = await gateway.make({ ...guests(bob), guestsCanModify: true });
      await gateway.change(id, { status: 'cancelled' }, { as: bob });
      expect((await gateway.change(id, { status: 'tentative' }, { as: bob })).status).toBe('tentative');
      expect((await gateway.on(alice, id)).status).toBe('tentative');
    });

    test("takes a removed guest's copy away but for its id, and gives it back with what was its own", async () => {
      const id = await make();
      const before = await gateway.change(id, { colorId: '5' }, { as: bob });
      await gateway.change(id, { attendees: invitation.attendees.filter(({ email }) => email !== bob) });
      const gone = await gateway.on(bob, id);
      expect([told(gone), gone.status]).toEqual([idOnly, 'cancelled']);
      expect(gone.etag).not.toBe(before.etag);
      const { problems } = await gateway.patch(id, { status: 'confirmed' }, { as: bob });
      expect(problems).toEqual(['FORBIDDEN event.status forbidden']);
      await gateway.change(id, { attendees: invitation.attendees });
      const back = { status: 'confirmed', summary: 'Planning', colorId: '5' };
      expect(await gateway.on(bob, id)).toMatchObject(back);
    });

    test('gives a guest who is added later a copy', async () => {
      const id = await make(guests(bob));
      expect((await gateway.read(id, { as: carol })).problems).toEqual(['NOT_FOUND eventId notFound']);
      await gateway.change(id, guests(bob, carol.toUpperCase()));
      expect(await gateway.on(carol, id)).toMatchObject({ id, summary: 'Planning' });
    });

    test.each(['insert', 'patch'])('gives a copy another id where %s finds this one', async (operation) => {
      const [id, invited] = operation === 'insert' ? ['takenid', guests(carol)] : ['takenlater', {}];
      const { iCalUID } = await gateway.make({ id, summary: 'With Carol', ...invited });
      if (operation === 'patch') await gateway.change(id, guests(carol));
      expect(await gateway.on(carol, id)).toMatchObject({ summary: "Carol's own" });
      const list = `{ result: events(calendarId: "${carol}") { nodes { id iCalUID } } }`;
      const { nodes } = (await gateway.run(list, {}, carol)).event;
      const copies = nodes.filter((node: Shown) => node.iCalUID === iCalUID);
      expect(copies).toEqual([{ id: expect.stringMatching(/^[a-v0-9]{5,}$/), iCalUID }]);
      expect(copies[0].id).not.toBe(id);
      const comment = { attendeesOmitted: true, attendees: [{ email: carol, comment: 'There' }] };
      await gateway.change(copies[0].id, { colorId: '1', ...comment }, { as: carol });
      const event = await gateway.on(alice, id);
      expect(event).toMatchObject({ colorId: null, attendees: [{ comment: 'There' }] });
    });
  });

  test("a private copy is nobody else's: no guest gets it, and its owner may change all of it", async () => {
    const body = { ...guests(alice, carol, eve), privateCopy: true };
    const event = await gateway.make(body, { as: bob, calendarId: bob });
    expect(event.privateCopy).toBe(true);
    await gateway.change(event.id, { summary: 'Mine', ...guests(carol) }, { as: bob });
    for (const as of [alice, carol])
      expect((await gateway.read(event.id, { as })).problems).toEqual(['NOT_FOUND eventId notFound']);
    expect((await gateway.change('copied', { summary: 'Mine' }, { as: bob })).summary).toBe('Mine');
  });

  describe('who sees what of it, by itself and in lists', () => {
    const listing = documents.read
      .replace(/\$eventId: String!, .*\) \{/, ') {')
      .replace(/event\(.*\) \{/, 'events(calendarId: $calendarId, first: 2500) { nodes {')
      .concat(' }');
    const seen = async (id: string, as: string, calendarId = alice): Promise<Shown> => {
      const event = await gateway.on(calendarId, id, as);
      const list = await gateway.run(listing, { calendarId }, as);
      expect(list.event.nodes.find((node: Shown) => node.id === id)).toEqual(event);
      return event;
    };
    const details = {
      location: 'Room 3',
      sequence: 3,
      description: 'Secret',
      extendedProperties: { shared: { a: '1' } },
      ...guests(bob),
    };
    const timeOnly = [...idOnly, 'end', 'endTimeUnspecified', 'start', 'transparency', 'visibility'].sort();

    test.each([
      ['private', alice, 'in full'],
      ['private', wanda, 'in full'],
      ['private', rita, 'by its time alone'],
      ['private', fritz, 'by its time alone'],
      ['confidential', alice, 'in full'],
      ['confidential', wanda, 'in full'],
      ['confidential', rita, 'by its time alone'],
      ['confidential', fritz, 'by its time alone'],
      ['default', rita, 'in full'],
      ['public', rita, 'in full'],
      ['public', fritz, 'by its time alone'],
    ])('a %s event, by %s: %s', async (visibility, as, shown) => {
      const { id } = await gateway.make({ ...details, summary: 'Planning', visibility });
      const event = await seen(id, as);
      expect(event).toMatchObject({ ...hour, status: 'confirmed', visibility, transparency: 'opaque' });
      if (shown === 'in full') expect(event).toMatchObject({ summary: 'Planning', ...details });
      else expect(told(event)).toEqual(timeOnly);
    });

    test('a guest who is a reader of the organizer’s calendar sees a private event there', async () => {
      const { id } = await gateway.make({ ...details, visibility: 'private', ...guests(rita) });
      expect(await seen(id, rita)).toMatchObject({ description: 'Secret' });
    });

    test('source: its creator, on every calendar the creator reads, and nobody else; it outlasts what the others send back', async () => {
      const source = { title: 'Tracker', url: 'https://issues.example.org/1' };
      const { id } = await gateway.make({ source, ...guests(bob), guestsCanModify: true }, { as: wanda });
      for (const calendarId of [alice, bob])
        expect((await seen(id, wanda, calendarId)).source).toEqual(source);
      for (const event of [await seen(id, alice), await seen(id, bob, bob), await seen(id, rita)])
        expect(event.source).toBeNull();
      for (const as of [alice, bob])
        await gateway.change(id, { ...(await gateway.on(as, id)), summary: as }, { as });
      expect(await seen(id, wanda)).toMatchObject({ source, summary: bob });
    });

    test.each(['patch', 'insert', 'read'] as const)(
      '%s answers a stranger as it does for a calendar that does not exist',
      async (operation) => {
        const id = await make();
        const ask = async (calendarId: string, eventId: string) => {
          const options = { as: sten, calendarId };
          const { body, problems } = await (operation === 'patch'
            ? gateway.patch(eventId, { summary: 'x' }, options)
            : operation === 'insert'
              ? gateway.insert({}, options)
              : gateway.read(eventId, options));
          expect(problems).toEqual(['NOT_FOUND calendarId notFound']);
          return body.replaceAll(/"requestId":"[^"]*"/g, '');
        };
        const known = await ask(alice, id);
        expect(await ask('nobody@example.com', id)).toBe(known);
        expect(await ask(alice, 'noevent')).toBe(known);
      },
    );
  });
});
