import { stores } from '../stores.ts';
import {
  alice,
  berlin,
  bob,
  day,
  many,
  type Outcome,
  popup,
  rita,
  wanda,
  withoutNulls,
} from '../event/event.harness.ts';
import { calendarsOf } from './calendar.harness.ts';

const refused = (path: string, reason: string): string => `BAD_USER_INPUT ${path} ${reason}`;
const notFound = ['NOT_FOUND calendarId notFound'];
const forbidden = ['FORBIDDEN calendarId forbidden'];
const notMet = ['PRECONDITION_FAILED ifMatch conditionNotMet'];
const owner = { email: alice, role: 'owner' };
const team = {
  summary: 'Team',
  description: 'Who is where',
  location: 'Berlin',
  timeZone: berlin,
  backgroundColor: '#ABCDEF',
  defaultReminders: [popup(5)],
};

/** Calendars that are made, changed, shared and deleted while the gateway runs. */
describe.each(stores)('calendars, over $name', ({ useGateway }) => {
  const gateway = useGateway();
  const of = calendarsOf(gateway);
  const expectProblems = async (asked: Promise<Outcome>, problems: readonly string[]): Promise<void> =>
    expect((await asked).problems).toEqual(problems);

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
    expect((await of.list()).event).toMatchObject([
      { id: alice, primary: true },
      { id: event.id, primary: false },
    ]);
    await expectProblems(of.read(event.id, bob), notFound);
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
    await expectProblems(of.insert(wrong), [
      refused('calendar.summary', 'invalid'),
      refused('calendar.description', 'tooLong'),
      refused('calendar.location', 'tooLong'),
      refused('calendar.timeZone', 'invalid'),
      refused('calendar.backgroundColor', 'invalid'),
      refused('calendar.defaultReminders', 'tooMany'),
    ]);
    await expectProblems(of.insert({ defaultReminders: [{ minutes: 50000 }] }), [
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
    const late = { defaultReminders: [{ method: 'sms', minutes: 5 }, popup(50_000)] };
    await expectProblems(of.insert(late), [refused('calendar.defaultReminders.1.minutes', 'invalid')]);
    const { notes: none, event: same } = await of.patch(event.id, event);
    expect([none, same]).toEqual([[], event]);
  });

  test('a patch keeps what it leaves out, clears by null, and changes the etag by what it changes', async () => {
    const id = await of.make(team);
    const before = (await of.read(id)).event;
    expect((await of.patch(id, { summary: 'Team', backgroundColor: '#abcDEF' })).event).toEqual(before);
    const { event } = await of.patch(id, { summary: null, defaultReminders: null, location: 'Hamburg' });
    const { etag, updated } = event;
    const changed = { summary: id, defaultReminders: [], location: 'Hamburg', etag, updated };
    expect(event).toEqual({ ...before, ...changed });
    expect(etag).not.toBe(before.etag);
    await expectProblems(of.patch(id, { timeZone: null }), [refused('calendar.timeZone', 'required')]);
    await expectProblems(of.patch(id, { summary: 'x' }, { ifMatch: before.etag }), notMet);
    const dryRun = await of.patch(id, { summary: 'x' }, { ifMatch: etag, validateOnly: true });
    expect(dryRun.event.summary).toBe('x');
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
    const reused = of.insert({ summary: 'Other' }, { requestId: 'r' });
    await expectProblems(reused, ['CONFLICT requestId requestIdReused']);
    expect((await of.insert(team, { validateOnly: true })).event).toMatchObject({ summary: 'Team' });
    expect((await of.list()).event).toHaveLength(2);
  });

  test('a caller without an address makes none, nor more than 100 in a day', async () => {
    await expectProblems(of.insert({}, {}, 'no address'), ['FORBIDDEN calendar forbidden']);
    for (let count = 0; count < 100; count += 1) await of.make();
    const { problems, status } = await of.insert({});
    expect([problems, status]).toEqual([['RATE_LIMITED calendar rateLimitExceeded'], 200]);
    await expectProblems(of.insert({}, {}, bob), []);
  });

  test('a role holds from when it is given until it is taken', async () => {
    const id = await of.make(team);
    const shared = [owner, { email: 'Bob@Example.com', role: 'freeBusyReader' }];
    expect((await of.share(id, 'Bob@Example.com', 'freeBusyReader')).event).toEqual(shared);
    const { id: eventId } = await gateway.make({ summary: 'Secret' }, { calendarId: id });
    expect((await gateway.on(id, eventId, bob)).summary).toBeNull();
    await of.share(id, bob, 'reader');
    expect((await gateway.on(id, eventId, bob)).summary).toBe('Secret');
    await expectProblems(gateway.patch(eventId, { summary: 'x' }, { as: bob, calendarId: id }), forbidden);
    await of.share(id, bob, 'writer');
    await gateway.change(eventId, { summary: 'Open' }, { as: bob, calendarId: id });
    const list = (args: string) =>
      gateway.run(`{ result: events(${args}) { nextSyncToken pageInfo { endCursor } } }`, {}, bob);
    const { nextSyncToken, pageInfo } = (await list(`calendarId: "${id}"`)).event;
    expect((await of.share(id, bob, 'none')).event).toEqual([owner]);
    for (const continued of [`syncToken: "${nextSyncToken}"`, `after: "${pageInfo.endCursor}"`])
      await expectProblems(list(`calendarId: "${id}", ${continued}`), notFound);
    expect((await of.list(bob)).event).toHaveLength(1);
  });

  test('owners administer, its maker stays owner, and everybody may leave', async () => {
    const id = await of.make();
    await of.share(id, bob, 'owner');
    const owners = [owner, { email: bob, role: 'owner' }];
    const { event: shared } = await of.share(id, rita, 'reader', bob);
    expect(shared).toEqual([...owners, { email: rita, role: 'reader' }]);
    expect((await of.patch(id, { summary: 'By Bob' }, {}, bob)).event.summary).toBe('By Bob');
    await expectProblems(of.share(id, alice, 'writer', bob), [refused('role', 'invalid')]);
    await expectProblems(of.share(id, 'no address', 'reader'), [refused('email', 'invalid')]);
    const administer = (as: string) => [of.access(id, as), of.patch(id, {}, {}, as), of.remove(id, {}, as)];
    for (const ask of [...administer(rita), of.share(id, wanda, 'reader', rita), of.remove(id, {}, bob)])
      await expectProblems(ask, forbidden);
    for (const ask of [...administer(wanda), of.share(id, wanda, 'none', wanda)])
      await expectProblems(ask, notFound);
    expect(await of.share(id, rita, 'none', rita)).toMatchObject({ event: null, problems: [] });
    expect((await of.share(id, rita, 'none')).event).toEqual(owners);
  });

  test('is shared with at most 100 addresses', async () => {
    const id = await of.make();
    for (let index = 0; index < 99; index += 1) await of.share(id, `guest${index}@example.com`, 'reader');
    await expectProblems(of.share(id, bob, 'reader'), [refused('email', 'tooMany')]);
    await expectProblems(of.share(id, 'guest1@example.com', 'writer'), []);
  });

  test('whoever signs in with an address gets a calendar when it is first needed, once', async () => {
    const dora = 'dora@example.com';
    await expectProblems(of.read(dora, dora), notFound);
    const insert = () => gateway.insert(day, { as: dora, calendarId: 'primary' });
    const asked = many(20, (index) => (index % 2 ? of.list('Dora@example.com') : insert()));
    expect((await Promise.all(asked)).flatMap(({ problems }) => problems)).toEqual([]);
    expect((await of.list(dora)).event).toEqual([{ id: dora, accessRole: 'owner', primary: true }]);
    const made = { id: dora, summary: dora, timeZone: 'UTC' };
    expect((await of.read('primary', dora)).event).toMatchObject(made);
    await expectProblems(of.remove('primary', {}, dora), forbidden);
    expect((await of.list('no address')).event).toEqual([]);
  });

  test('a deleted calendar is gone for everybody', async () => {
    const id = await of.make(team);
    await of.share(id, bob, 'writer');
    const { etag } = (await of.patch(id, { summary: 'Newer' })).event;
    await expectProblems(of.remove(id, { ifMatch: '"old"' }), notMet);
    expect(await of.remove(id, { ifMatch: etag })).toMatchObject({ event: true, problems: [] });
    const asked = [
      of.remove(id),
      of.read(id),
      of.read(id, bob),
      of.patch(id, {}),
      gateway.insert({}, { calendarId: id }),
      gateway.run(`{ result: events(calendarId: "${id}") { nextSyncToken } }`, {}, bob),
    ];
    for (const ask of asked) await expectProblems(ask, notFound);
    expect((await of.list(bob)).event).toHaveLength(1);
  });
});
