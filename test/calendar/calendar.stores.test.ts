import { stores } from '../stores.ts';
import {
  alice,
  berlin,
  bob,
  many,
  popup,
  rita,
  wanda,
  withoutNulls,
  type EventGateway,
} from '../event/event.harness.ts';
import { calendarsOf } from './calendar.harness.ts';

const refused = (path: string, reason: string): string => `BAD_USER_INPUT ${path} ${reason}`;
const team = {
  summary: 'Team',
  description: 'Who is where',
  location: 'Berlin',
  timeZone: berlin,
  backgroundColor: '#ABCDEF',
  defaultReminders: [popup(5)],
};

/** Calendars that are made, changed, shared and deleted while the gateway runs. */
describe.each(stores)('calendars, over $name', ({ useGateways }) => {
  const start = useGateways();

  let gateway: EventGateway;
  let of: ReturnType<typeof calendarsOf>;
  beforeEach(async () => {
    gateway = await start();
    of = calendarsOf(gateway);
  });

  test("a new calendar is its maker's, is never primary, and has what was sent", async () => {
    const { event, notes, problems } = await of.insert(team);
    expect({ notes, problems }).toEqual({ notes: [], problems: [] });
    expect(event).toMatchObject({
      ...team,
      backgroundColor: '#abcdef',
      kind: 'calendar#calendar',
      accessRole: 'owner',
      primary: false,
      created: event.updated,
    });
    expect(event.id).toMatch(/^[0-9a-v]{26}@group\.calendar\.example\.com$/);
    expect((await of.read(event.id)).event).toEqual(event);
    expect(
      (await of.list()).event.map(({ id, primary }: { id: string; primary: boolean }) => [id, primary]),
    ).toEqual([
      [alice, true],
      [event.id, false],
    ]);
    expect((await of.read(event.id, bob)).problems).toEqual(['NOT_FOUND calendarId notFound']);
    const made = await gateway.make({ summary: 'Kick-off' }, { calendarId: event.id });
    expect(made.organizer.email).toBe(alice);
  });

  test('without settings it has the zone of the service, no reminders, and its id for a title', async () => {
    const { event } = await of.insert({});
    expect(withoutNulls(event)).toMatchObject({ summary: event.id, timeZone: 'UTC', defaultReminders: [] });
    expect([event.description, event.location, event.backgroundColor]).toEqual([null, null, null]);
  });

  test('all that is wrong with one is said at once, and nothing is made', async () => {
    const wrong = {
      summary: '',
      description: 'x'.repeat(8193),
      location: 'x'.repeat(1025),
      timeZone: 'Mars',
      backgroundColor: 'red',
      defaultReminders: [{ minutes: 50000 }, ...many(5, popup)],
    };
    const expected = [
      ['summary', 'invalid'],
      ['description', 'tooLong'],
      ['location', 'tooLong'],
      ['timeZone', 'invalid'],
      ['backgroundColor', 'invalid'],
      ['defaultReminders', 'tooMany'],
    ];
    expect((await of.insert(wrong)).problems).toEqual(
      expected.map(([name, reason]) => refused(`calendar.${name}`, reason as string)),
    );
    expect((await of.insert({ defaultReminders: [{ minutes: 50000 }] })).problems).toEqual([
      refused('calendar.defaultReminders.0.minutes', 'invalid'),
      refused('calendar.defaultReminders.0.method', 'required'),
    ]);
    expect((await of.list()).event).toHaveLength(1);
  });

  test('what the server sets is ignored, with a warning where it differs; an old reminder is ignored with one', async () => {
    const { event, notes } = await of.insert({
      id: 'mine',
      kind: 'calendar#calendar',
      accessRole: 'owner',
      primary: true,
      etag: '"1"',
      defaultReminders: [{ method: 'sms', minutes: 5 }, popup(1)],
    });
    expect([...notes].sort()).toEqual([
      'calendar.defaultReminders.0 ignored',
      'calendar.etag readOnly',
      'calendar.id readOnly',
      'calendar.primary readOnly',
    ]);
    expect(event.defaultReminders).toEqual([popup(1)]);
    expect(
      (await of.insert({ defaultReminders: [{ method: 'sms', minutes: 5 }, popup(50_000)] })).problems,
    ).toEqual([refused('calendar.defaultReminders.1.minutes', 'invalid')]);
    const { notes: none, event: same } = await of.patch(event.id, event);
    expect([none, same]).toEqual([[], event]);
  });

  test('a patch keeps what it leaves out, clears by null, and changes the etag by what it changes', async () => {
    const id = await of.make(team);
    const before = (await of.read(id)).event;
    expect((await of.patch(id, { summary: 'Team', backgroundColor: '#abcDEF' })).event).toEqual(before);
    const { event } = await of.patch(id, { summary: null, defaultReminders: null, location: 'Hamburg' });
    expect(event).toEqual({
      ...before,
      summary: id,
      defaultReminders: [],
      location: 'Hamburg',
      etag: event.etag,
      updated: event.updated,
    });
    expect(event.etag).not.toBe(before.etag);
    expect((await of.patch(id, { timeZone: null })).problems).toEqual([
      refused('calendar.timeZone', 'required'),
    ]);
    expect((await of.patch(id, { summary: 'x' }, { ifMatch: before.etag })).problems).toEqual([
      'PRECONDITION_FAILED ifMatch conditionNotMet',
    ]);
    expect(
      (await of.patch(id, { summary: 'x' }, { ifMatch: event.etag, validateOnly: true })).event.summary,
    ).toBe('x');
    expect((await of.read(id)).event).toEqual(event);
  });

  test('changes at the same time are all kept', async () => {
    const id = await of.make();
    const patches = Object.entries(team).map(([name, value]) => of.patch(id, { [name]: value }));
    const shares = many(8, (index) => of.share(id, `guest${index}@example.com`, 'reader'));
    expect((await Promise.all([...patches, ...shares])).flatMap(({ problems }) => problems)).toEqual([]);
    expect((await of.read(id)).event).toMatchObject({ ...team, backgroundColor: '#abcdef' });
    expect((await of.access(id)).event).toHaveLength(9);
  });

  test('an insert that is sent again makes nothing more, and another input with its id is refused', async () => {
    const [one, two] = [await of.insert(team, { requestId: 'r' }), await of.insert(team, { requestId: 'r' })];
    expect(two.event).toEqual(one.event);
    expect((await of.insert({ summary: 'Other' }, { requestId: 'r' })).problems).toEqual([
      'CONFLICT requestId requestIdReused',
    ]);
    expect((await of.insert(team, { validateOnly: true })).event).toMatchObject({ summary: 'Team' });
    expect((await of.list()).event).toHaveLength(2);
  });

  test('a caller without an address makes none, nor more than 100 in a day', async () => {
    expect((await of.insert({}, {}, 'no address')).problems).toEqual(['FORBIDDEN calendar forbidden']);
    for (let count = 0; count < 100; count += 1) await of.make();
    const { problems, status } = await of.insert({});
    expect([problems, status]).toEqual([['RATE_LIMITED calendar rateLimitExceeded'], 200]);
    expect((await of.insert({}, {}, bob)).problems).toEqual([]);
  });

  test('a role holds from when it is given until it is taken', async () => {
    const id = await of.make(team);
    expect((await of.share(id, 'Bob@Example.com', 'freeBusyReader')).event).toEqual([
      { email: alice, role: 'owner' },
      { email: 'Bob@Example.com', role: 'freeBusyReader' },
    ]);
    const { id: eventId } = await gateway.make({ summary: 'Secret' }, { calendarId: id });
    expect((await gateway.on(id, eventId, bob)).summary).toBeNull();
    await of.share(id, bob, 'reader');
    expect((await gateway.on(id, eventId, bob)).summary).toBe('Secret');
    expect((await gateway.patch(eventId, { summary: 'x' }, { as: bob, calendarId: id })).problems).toEqual([
      'FORBIDDEN calendarId forbidden',
    ]);
    await of.share(id, bob, 'writer');
    await gateway.change(eventId, { summary: 'Open' }, { as: bob, calendarId: id });
    const {
      event: { nextSyncToken, pageInfo },
    } = await gateway.run(
      'query ($id: String!) { result: events(calendarId: $id) { nextSyncToken pageInfo { endCursor } } }',
      { id },
      bob,
    );
    expect((await of.share(id, bob, 'none')).event).toEqual([{ email: alice, role: 'owner' }]);
    for (const continued of [`syncToken: "${nextSyncToken}"`, `after: "${pageInfo.endCursor}"`]) {
      expect(
        (
          await gateway.run(
            `{ result: events(calendarId: "${id}", ${continued}) { nextSyncToken } }`,
            {},
            bob,
          )
        ).problems,
      ).toEqual(['NOT_FOUND calendarId notFound']);
    }
    expect((await of.list(bob)).event).toHaveLength(1);
  });

  test('owners administer, its maker stays owner, and everybody may leave', async () => {
    const id = await of.make();
    await of.share(id, bob, 'owner');
    expect((await of.share(id, rita, 'reader', bob)).event).toEqual([
      { email: alice, role: 'owner' },
      { email: bob, role: 'owner' },
      { email: rita, role: 'reader' },
    ]);
    expect((await of.patch(id, { summary: 'By Bob' }, {}, bob)).event.summary).toBe('By Bob');
    expect((await of.share(id, alice, 'writer', bob)).problems).toEqual([refused('role', 'invalid')]);
    expect((await of.share(id, 'no address', 'reader')).problems).toEqual([refused('email', 'invalid')]);
    for (const ask of [
      of.access(id, rita),
      of.patch(id, {}, {}, rita),
      of.share(id, wanda, 'reader', rita),
      of.remove(id, {}, rita),
      of.remove(id, {}, bob),
    ]) {
      expect((await ask).problems).toEqual(['FORBIDDEN calendarId forbidden']);
    }
    for (const ask of [
      of.access(id, wanda),
      of.patch(id, {}, {}, wanda),
      of.share(id, wanda, 'none', wanda),
      of.remove(id, {}, wanda),
    ]) {
      expect((await ask).problems).toEqual(['NOT_FOUND calendarId notFound']);
    }
    expect(await of.share(id, rita, 'none', rita)).toMatchObject({ event: null, problems: [] });
    expect((await of.share(id, rita, 'none')).event).toEqual([
      { email: alice, role: 'owner' },
      { email: bob, role: 'owner' },
    ]);
  });

  test('is shared with at most 100 addresses', async () => {
    const id = await of.make();
    for (let index = 0; index < 99; index += 1) await of.share(id, `guest${index}@example.com`, 'reader');
    expect((await of.share(id, bob, 'reader')).problems).toEqual([refused('email', 'tooMany')]);
    expect((await of.share(id, 'guest1@example.com', 'writer')).problems).toEqual([]);
  });

  test('whoever signs in with an address gets a calendar when it is first needed, once', async () => {
    const dora = 'dora@example.com';
    expect((await of.read(dora, dora)).problems).toEqual(['NOT_FOUND calendarId notFound']);
    const asked = await Promise.all(
      many(20, (index) =>
        index % 2
          ? of.list('Dora@example.com')
          : gateway.insert(
              { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } },
              { as: dora, calendarId: 'primary' },
            ),
      ),
    );
    expect(asked.flatMap(({ problems }) => problems)).toEqual([]);
    expect((await of.list(dora)).event).toEqual([{ id: dora, accessRole: 'owner', primary: true }]);
    expect((await of.read('primary', dora)).event).toMatchObject({
      id: dora,
      summary: dora,
      timeZone: 'UTC',
    });
    expect((await of.remove('primary', {}, dora)).problems).toEqual(['FORBIDDEN calendarId forbidden']);
    expect((await of.list('no address')).event).toEqual([]);
  });

  test('a deleted calendar is gone for everybody', async () => {
    const id = await of.make(team);
    await of.share(id, bob, 'writer');
    const { etag } = (await of.patch(id, { summary: 'Newer' })).event;
    expect((await of.remove(id, { ifMatch: '"old"' })).problems).toEqual([
      'PRECONDITION_FAILED ifMatch conditionNotMet',
    ]);
    expect(await of.remove(id, { ifMatch: etag })).toMatchObject({ event: true, problems: [] });
    const asked = [
      of.remove(id),
      of.read(id),
      of.read(id, bob),
      of.patch(id, {}),
      gateway.insert({}, { calendarId: id }),
      gateway.run('query ($id: String!) { result: events(calendarId: $id) { nextSyncToken } }', { id }, bob),
    ];
    for (const ask of asked) expect((await ask).problems).toEqual(['NOT_FOUND calendarId notFound']);
    expect((await of.list(bob)).event).toHaveLength(1);
  });
});
