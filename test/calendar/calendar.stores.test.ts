import { stores } from '../stores.ts';
import {
  alice,
  berlin,
  bob,
  oneDay,
  makeMany,
  popupOverride,
  withoutNulls,
  type Outcome,
  rita,
  wanda,
} from '../event/event.harness.ts';
import { calendarsOf } from './calendar.harness.ts';

const problemAt = (path: string, reason: string): string => `BAD_USER_INPUT ${path} ${reason}`;
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
  defaultReminders: [popupOverride(5)],
};

describe.each(stores)('calendars, over $name', ({ useGateway }) => {
  const gateway = useGateway();
  const calendars = calendarsOf(gateway);
  const expectProblems = async (outcome: Promise<Outcome>, problems: readonly string[]): Promise<void> =>
    expect((await outcome).problems).toEqual(problems);

  test('a new calendar belongs to its creator, is not primary, and has the given fields', async () => {
    const { event, warningTexts, problems } = await calendars.insert(team);
    expect({ warningTexts, problems }).toEqual({ warningTexts: [], problems: [] });
    expect(event).toMatchObject({
      ...team,
      backgroundColor: '#abcdef',
      kind: 'calendar#calendar',
      accessRole: 'owner',
      primary: false,
      created: event.updated,
    });
    expect(event.id).toMatch(/^[0-9a-v]{26}@group\.calendar\.example\.com$/);
    expect((await calendars.read(event.id)).event).toEqual(event);
    expect((await calendars.list()).event).toMatchObject([
      { id: alice, primary: true },
      { id: event.id, primary: false },
    ]);
    await expectProblems(calendars.read(event.id, bob), notFound);
    const insertedEvent = await gateway.makeEvent({ summary: 'Kick-off' }, { calendarId: event.id });
    expect(insertedEvent.organizer.email).toBe(alice);
  });

  test('a calendar has by default the time zone UTC, no reminders, and its id as summary', async () => {
    const { event } = await calendars.insert({});
    expect(withoutNulls(event)).toMatchObject({ summary: event.id, timeZone: 'UTC', defaultReminders: [] });
    expect([event.description, event.location, event.backgroundColor]).toEqual([null, null, null]);
  });

  test('an invalid calendar is refused with all its problems at once', async () => {
    const invalidCalendar = {
      summary: '',
      description: 'x'.repeat(8193),
      location: 'x'.repeat(1025),
      timeZone: 'Mars',
      backgroundColor: 'red',
      defaultReminders: [{ minutes: 50000 }, ...makeMany(5, popupOverride)],
    };
    await expectProblems(calendars.insert(invalidCalendar), [
      problemAt('calendar.summary', 'invalid'),
      problemAt('calendar.description', 'tooLong'),
      problemAt('calendar.location', 'tooLong'),
      problemAt('calendar.timeZone', 'invalid'),
      problemAt('calendar.backgroundColor', 'invalid'),
      problemAt('calendar.defaultReminders', 'tooMany'),
    ]);
    await expectProblems(calendars.insert({ defaultReminders: [{ minutes: 50000 }] }), [
      problemAt('calendar.defaultReminders.0.minutes', 'invalid'),
      problemAt('calendar.defaultReminders.0.method', 'required'),
    ]);
    expect((await calendars.list()).event).toHaveLength(1);
  });

  test('changed read-only fields and obsolete reminders are ignored with a warning', async () => {
    const { event, warningTexts } = await calendars.insert({
      id: 'mine',
      kind: 'calendar#calendar',
      accessRole: 'owner',
      primary: true,
      etag: '"1"',
      defaultReminders: [{ method: 'sms', minutes: 5 }, popupOverride(1)],
    });
    expect([...warningTexts].sort()).toEqual([
      'calendar.defaultReminders.0 ignored',
      'calendar.etag readOnly',
      'calendar.id readOnly',
      'calendar.primary readOnly',
    ]);
    expect(event.defaultReminders).toEqual([popupOverride(1)]);
    const lateReminder = { defaultReminders: [{ method: 'sms', minutes: 5 }, popupOverride(50_000)] };
    await expectProblems(calendars.insert(lateReminder), [
      problemAt('calendar.defaultReminders.1.minutes', 'invalid'),
    ]);
    const { warningTexts: unchangedWarnings, event: unchangedCalendar } = await calendars.patch(
      event.id,
      event,
    );
    expect([unchangedWarnings, unchangedCalendar]).toEqual([[], event]);
  });

  test('a patch keeps omitted fields, clears by null, and changes the etag only with a field', async () => {
    const id = await calendars.make(team);
    const calendarBefore = (await calendars.read(id)).event;
    const unchangedOutcome = await calendars.patch(id, { summary: 'Team', backgroundColor: '#abcDEF' });
    expect(unchangedOutcome.event).toEqual(calendarBefore);
    const nulls = { summary: null, defaultReminders: null };
    const { event } = await calendars.patch(id, { ...nulls, location: 'Hamburg' });
    const { etag, updated } = event;
    const changedFields = { summary: id, defaultReminders: [], location: 'Hamburg', etag, updated };
    expect(event).toEqual({ ...calendarBefore, ...changedFields });
    expect(etag).not.toBe(calendarBefore.etag);
    await expectProblems(calendars.patch(id, { timeZone: null }), [
      problemAt('calendar.timeZone', 'required'),
    ]);
    await expectProblems(calendars.patch(id, { summary: 'x' }, { ifMatch: calendarBefore.etag }), notMet);
    const dryRun = await calendars.patch(id, { summary: 'x' }, { ifMatch: etag, validateOnly: true });
    expect(dryRun.event.summary).toBe('x');
    expect((await calendars.read(id)).event).toEqual(event);
  });

  test('concurrent changes are all kept', async () => {
    const id = await calendars.make();
    const patches = Object.entries(team).map(([name, value]) => calendars.patch(id, { [name]: value }));
    const shares = makeMany(8, (index) => calendars.share(id, `guest${index}@example.com`, 'reader'));
    expect((await Promise.all([...patches, ...shares])).flatMap(({ problems }) => problems)).toEqual([]);
    expect((await calendars.read(id)).event).toMatchObject({ ...team, backgroundColor: '#abcdef' });
    expect((await calendars.listAccess(id)).event).toHaveLength(9);
  });

  test('a repeated insert creates nothing more, and its requestId with other input is refused', async () => {
    const first = await calendars.insert(team, { requestId: 'r' });
    const second = await calendars.insert(team, { requestId: 'r' });
    expect(second.event).toEqual(first.event);
    const reusedRequest = calendars.insert({ summary: 'Other' }, { requestId: 'r' });
    await expectProblems(reusedRequest, ['CONFLICT requestId requestIdReused']);
    expect((await calendars.insert(team, { validateOnly: true })).event).toMatchObject({ summary: 'Team' });
    expect((await calendars.list()).event).toHaveLength(2);
  });

  test('a caller needs an e-mail address, and creates at most 100 calendars a day', async () => {
    await expectProblems(calendars.insert({}, {}, 'no address'), ['FORBIDDEN calendar forbidden']);
    for (let count = 0; count < 100; count += 1) await calendars.make();
    const { problems, status } = await calendars.insert({});
    expect([problems, status]).toEqual([['RATE_LIMITED calendar rateLimitExceeded'], 200]);
    await expectProblems(calendars.insert({}, {}, bob), []);
  });

  test('a role applies from when it is granted until it is revoked', async () => {
    const id = await calendars.make(team);
    const sharedAccess = [owner, { email: 'Bob@Example.com', role: 'freeBusyReader' }];
    expect((await calendars.share(id, 'Bob@Example.com', 'freeBusyReader')).event).toEqual(sharedAccess);
    const { id: eventId } = await gateway.makeEvent({ summary: 'Secret' }, { calendarId: id });
    expect((await gateway.readOn(id, eventId, bob)).summary).toBeNull();
    await calendars.share(id, bob, 'reader');
    expect((await gateway.readOn(id, eventId, bob)).summary).toBe('Secret');
    await expectProblems(gateway.patch(eventId, { summary: 'x' }, { as: bob, calendarId: id }), forbidden);
    await calendars.share(id, bob, 'writer');
    await gateway.changeEvent(eventId, { summary: 'Open' }, { as: bob, calendarId: id });
    const listEvents = (args: string) =>
      gateway.run(`{ result: events(${args}) { nextSyncToken pageInfo { endCursor } } }`, {}, bob);
    const { nextSyncToken, pageInfo } = (await listEvents(`calendarId: "${id}"`)).event;
    expect((await calendars.share(id, bob, 'none')).event).toEqual([owner]);
    for (const continuation of [`syncToken: "${nextSyncToken}"`, `after: "${pageInfo.endCursor}"`])
      await expectProblems(listEvents(`calendarId: "${id}", ${continuation}`), notFound);
    expect((await calendars.list(bob)).event).toHaveLength(1);
  });

  test('owners administer, the creator stays owner, and anybody may leave', async () => {
    const id = await calendars.make();
    await calendars.share(id, bob, 'owner');
    const owners = [owner, { email: bob, role: 'owner' }];
    const { event: accessList } = await calendars.share(id, rita, 'reader', bob);
    expect(accessList).toEqual([...owners, { email: rita, role: 'reader' }]);
    expect((await calendars.patch(id, { summary: 'By Bob' }, {}, bob)).event.summary).toBe('By Bob');
    await expectProblems(calendars.share(id, alice, 'writer', bob), [problemAt('role', 'invalid')]);
    await expectProblems(calendars.share(id, 'no address', 'reader'), [problemAt('email', 'invalid')]);
    const administrativeRequests = (as: string) => [
      calendars.listAccess(id, as),
      calendars.patch(id, {}, {}, as),
    ];
    const removals = [rita, bob].map((as) => calendars.remove(id, {}, as));
    const sharing = calendars.share(id, wanda, 'reader', rita);
    for (const request of [...administrativeRequests(rita), ...removals, sharing])
      await expectProblems(request, forbidden);
    await expectProblems(calendars.remove(id, {}, wanda), notFound);
    for (const request of [...administrativeRequests(wanda), calendars.share(id, wanda, 'none', wanda)])
      await expectProblems(request, notFound);
    expect(await calendars.share(id, rita, 'none', rita)).toMatchObject({ event: null, problems: [] });
    expect((await calendars.share(id, rita, 'none')).event).toEqual(owners);
  });

  test('a calendar is shared with at most 100 addresses', async () => {
    const id = await calendars.make();
    for (let index = 0; index < 99; index += 1)
      await calendars.share(id, `guest${index}@example.com`, 'reader');
    await expectProblems(calendars.share(id, bob, 'reader'), [problemAt('email', 'tooMany')]);
    await expectProblems(calendars.share(id, 'guest1@example.com', 'writer'), []);
  });

  test('a caller with an address gets a primary calendar on first use, once', async () => {
    const dora = 'dora@example.com';
    await expectProblems(calendars.read(dora, dora), notFound);
    const insertEvent = () => gateway.insert(oneDay, { as: dora, calendarId: 'primary' });
    const requests = makeMany(20, (index) =>
      index % 2 ? calendars.list('Dora@example.com') : insertEvent(),
    );
    expect((await Promise.all(requests)).flatMap(({ problems }) => problems)).toEqual([]);
    expect((await calendars.list(dora)).event).toEqual([{ id: dora, accessRole: 'owner', primary: true }]);
    const defaults = { id: dora, summary: dora, timeZone: 'UTC' };
    expect((await calendars.read('primary', dora)).event).toMatchObject(defaults);
    await expectProblems(calendars.remove('primary', {}, dora), forbidden);
    expect((await calendars.list('no address')).event).toEqual([]);
  });

  test('a deleted calendar is not found by anybody', async () => {
    const id = await calendars.make(team);
    await calendars.share(id, bob, 'writer');
    const { etag } = (await calendars.patch(id, { summary: 'Newer' })).event;
    await expectProblems(calendars.remove(id, { ifMatch: '"old"' }), notMet);
    expect(await calendars.remove(id, { ifMatch: etag })).toMatchObject({ event: true, problems: [] });
    const requests = [
      calendars.remove(id),
      calendars.read(id),
      calendars.read(id, bob),
      calendars.patch(id, {}),
      gateway.insert({}, { calendarId: id }),
      gateway.run(`{ result: events(calendarId: "${id}") { nextSyncToken } }`, {}, bob),
    ];
    for (const request of requests) await expectProblems(request, notFound);
    expect((await calendars.list(bob)).event).toHaveLength(1);
  });
});
