import {
  alice,
  berlin,
  bob,
  carol,
  entryOf,
  eve,
  rita,
  wanda,
  type Shown,
  useEvents,
} from './event.harness.ts';
import { anyList, answer, removal } from './list.harness.ts';

const at = (dateTime: string) => ({ dateTime, timeZone: berlin });
/** The times of an event between two hours of a day, in summer time or in winter. */
const between = (day: string, from: string, to: string, offset = '+02:00') => ({
  start: at(`${day}T${from}:00${offset}`),
  end: at(`${day}T${to}:00${offset}`),
});
const second = (id: string): string => `${id}_20261019T070000Z`;
const third = (id: string): string => `${id}_20261026T080000Z`;
const idsOf = (nodes: Shown[]): string[] => nodes.map(({ id }: Shown) => id);
/** Mondays at nine in Berlin, across the end of summer time on 25 October 2026. */
const weekly = {
  summary: 'Planning',
  location: 'Room 3',
  ...between('2026-10-12', '09:00', '10:00'),
  recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO'],
  attendees: [{ email: alice, responseStatus: 'accepted' }, { email: bob }, { email: eve }],
};
const instancesOf = `query ($calendarId: String!, $eventId: String!, $timeMin: DateTime, $timeMax: DateTime, $showDeleted: Boolean, $first: Int, $after: String) {
  result: instances(calendarId: $calendarId, eventId: $eventId, timeMin: $timeMin, timeMax: $timeMax, showDeleted: $showDeleted, first: $first, after: $after) {
    nodes { id status start { dateTime date } } pageInfo { hasNextPage endCursor } } }`;

describe('an occurrence of a series', () => {
  const gateway = useEvents();

  const series = (body: object = {}): Promise<Shown> => gateway.make({ ...weekly, ...body });
  const nodes = async (variables: object, as = alice): Promise<Shown[]> =>
    (
      await gateway.run(
        anyList,
        { calendarId: as, singleEvents: true, orderBy: 'startTime', ...variables },
        as,
      )
    ).event.nodes;
  const starts = async (variables: object, as = alice): Promise<string[]> =>
    (await nodes(variables, as)).map(({ start }: Shown) => start.dateTime ?? start.date);
  /** The ids of Alice's events on all pages. */
  async function idsOfPages(variables: object): Promise<string[]> {
    const ids: string[] = [];
    for (let after: string | undefined, more = true; more;) {
      const { nodes: page, pageInfo } = (await gateway.run(anyList, { ...variables, after })).event;
      ids.push(...idsOf(page));
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    return ids;
  }
  const drop = (eventId: string, as = alice, more: object = {}) =>
    gateway.run(removal, { calendarId: as, eventId, ...more }, as);

  test('keeps its local time when the clocks change, wherever it is seen from', async () => {
    const { id, iCalUID } = await series();
    const range = { iCalUID, timeMin: '2026-10-12T00:00:00-04:00', timeMax: '2026-11-03T00:00:00-05:00' };
    for (const as of [alice, bob]) {
      expect(await starts(range, as)).toEqual([
        '2026-10-12T09:00:00+02:00',
        '2026-10-19T09:00:00+02:00',
        '2026-10-26T09:00:00+01:00',
        '2026-11-02T09:00:00+01:00',
      ]);
      const listed = await nodes(range, as);
      expect(idsOf(listed)).toEqual([
        `${id}_20261012T070000Z`,
        second(id),
        third(id),
        `${id}_20261102T080000Z`,
      ]);
      for (const { recurringEventId } of listed) expect(recurringEventId).toBe(id);
    }
    const { start: originalStartTime, end } = between('2026-10-26', '09:00', '10:00', '+01:00');
    const instance = {
      summary: 'Planning',
      recurrence: null,
      recurringEventId: id,
      iCalUID,
      originalStartTime,
      end,
    };
    expect(await gateway.on(bob, third(id))).toMatchObject(instance);
    for (const original of ['20261026T070000Z', '20261026', '20261027T080000Z'])
      await gateway.expectNotFound(alice, `${id}_${original}`);
  });

  test('is changed by its id, keeps following its series in all else, and is one however many change it at once', async () => {
    const { id } = await series();
    const [location, end] = ['Room 9', at('2026-10-19T11:00:00+02:00')];
    const changes = [{ location }, { summary: 'Planning, long' }, { end }];
    await Promise.all(changes.map((body) => gateway.change(second(id), body)));
    await gateway.change(id, { description: 'Bring figures', location: 'Room 4' });
    for (const as of [alice, bob]) {
      const follows = { description: 'Bring figures', recurringEventId: id, organizer: { email: alice } };
      const own = { id: second(id), location, summary: 'Planning, long', end };
      expect(await gateway.on(as, second(id))).toMatchObject({ ...own, ...follows });
      expect(await gateway.on(as, third(id))).toMatchObject({ ...follows, location: 'Room 4' });
    }
    const variables = { calendarId: alice, eventId: id, timeMax: '2026-10-27T00:00:00Z' };
    const { event } = await gateway.run(instancesOf, variables);
    expect(idsOf(event.nodes)).toEqual([`${id}_20261012T070000Z`, second(id), third(id)]);
    const refused = ['FORBIDDEN event.summary forbiddenForNonOrganizer'];
    await gateway.refusesPatch(second(id), { summary: 'x' }, refused, { as: bob });
  });

  test('is answered, hidden and restored by a guest as one whole event', async () => {
    const { id } = await series();
    const accepted = { responseStatus: 'accepted', comment: 'Late' };
    await gateway.change(second(id), answer(bob, 'accepted', 'Late'), { as: bob });
    expect(entryOf(await gateway.on(alice, second(id)), bob)).toMatchObject(accepted);
    expect(entryOf(await gateway.on(alice, third(id)), bob)).toMatchObject({ responseStatus: 'needsAction' });
    // Later guests of the series come to the instance too: it has no guest list of its own.
    const { attendees } = await gateway.on(alice, id);
    await gateway.change(id, { attendees: [...attendees, { email: carol }] });
    expect(entryOf(await gateway.on(carol, second(id)), bob)).toMatchObject({ responseStatus: 'accepted' });
    expect((await drop(second(id), bob)).event).toBe(true);
    expect((await gateway.on(bob, second(id))).status).toBe('cancelled');
    expect(entryOf(await gateway.on(alice, second(id)), bob)).toMatchObject({ responseStatus: 'declined' });
    expect((await gateway.on(bob, third(id))).status).toBe('confirmed');
    await gateway.change(second(id), { status: 'confirmed' }, { as: bob });
    expect(entryOf(await gateway.on(alice, second(id)), bob)).toMatchObject({ responseStatus: 'accepted' });
  });

  test('cancelled alone stays so when its series is cancelled and restored', async () => {
    const { id, iCalUID } = await series();
    const range = { iCalUID, timeMin: '2026-10-12T00:00:00Z', timeMax: '2026-10-27T00:00:00Z' };
    for (const _again of [1, 2]) expect((await drop(second(id))).event).toBe(true);
    expect(await starts(range)).toEqual(['2026-10-12T09:00:00+02:00', '2026-10-26T09:00:00+01:00']);
    const statuses = (await nodes({ ...range, showDeleted: true })).map(({ status }) => status);
    expect(statuses).toEqual(['confirmed', 'cancelled', 'confirmed']);
    const cancelled = { status: 'cancelled', recurringEventId: id, summary: null };
    expect(await gateway.on(bob, second(id))).toMatchObject(cancelled);
    await drop(id);
    expect((await gateway.on(alice, third(id))).status).toBe('cancelled');
    expect(await starts(range)).toEqual([]);
    await gateway.change(id, { status: 'confirmed' });
    expect(await starts(range)).toEqual(['2026-10-12T09:00:00+02:00', '2026-10-26T09:00:00+01:00']);
  });

  test('is gone when the rules have it no more, and cancelled for those who follow', async () => {
    const { id, iCalUID, recurrence } = await series();
    await gateway.change(second(id), { summary: 'Moved', ...between('2026-10-20', '09:00', '10:00') });
    const range = { iCalUID, timeMin: '2026-10-19T00:00:00Z', timeMax: '2026-10-27T00:00:00Z' };
    expect(await starts(range)).toEqual(['2026-10-20T09:00:00+02:00', '2026-10-26T09:00:00+01:00']);
    const { nextSyncToken } = (await gateway.run(anyList, { calendarId: alice })).event;
    await gateway.patch(id, { recurrence: [...recurrence, 'EXDATE:20261019T070000Z'] });
    expect((await gateway.on(alice, second(id))).status).toBe('cancelled');
    expect(await starts(range)).toEqual(['2026-10-26T09:00:00+01:00']);
    const synced = (await gateway.run(anyList, { calendarId: alice, syncToken: nextSyncToken })).event.nodes;
    const statuses = synced.map((node: Shown) => [node.id, node.status].join(' '));
    expect(statuses).toEqual([`${id} confirmed`, `${second(id)} cancelled`]);
    await gateway.change(id, { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20261020T000000Z'] });
    expect(await starts({ iCalUID })).toEqual(['2026-10-12T09:00:00+02:00', '2026-10-19T09:00:00+02:00']);
  });

  test('comes back as the rules have it when they have it again: what was changed of it, and who had only this one, is gone for good', async () => {
    const { id, recurrence } = await series();
    const { attendees } = await gateway.on(alice, second(id));
    await gateway.change(second(id), { summary: 'Moved', attendees: [...attendees, { email: carol }] });
    await drop(third(id));
    const excluded = 'EXDATE:20261019T070000Z,20261026T080000Z';
    await gateway.patch(id, { recurrence: [...recurrence, excluded] });
    expect((await gateway.on(carol, second(id))).status).toBe('cancelled');
    await gateway.change(id, { recurrence });
    for (const as of [alice, bob])
      expect(await gateway.on(as, second(id))).toMatchObject({ status: 'confirmed', summary: 'Planning' });
    expect(await gateway.on(alice, third(id))).toMatchObject({ status: 'confirmed' });
    expect(await gateway.on(carol, second(id))).toMatchObject({ status: 'cancelled' });
    // It can be changed, or inserted, once more.
    const changed = await gateway.change(second(id), { location: 'Room 5' });
    expect(changed).toMatchObject({ summary: 'Planning', location: 'Room 5' });
    const inserted = {
      ...between('2026-10-26', '12:00', '13:00', '+01:00'),
      recurringEventId: id,
      originalStartTime: at('2026-10-26T09:00:00+01:00'),
      summary: 'Later',
    };
    expect((await gateway.insert(inserted)).event).toMatchObject({ id: third(id), summary: 'Later' });
    await gateway.refusesInsert(inserted, ['CONFLICT event.originalStartTime duplicate']);
  });

  test('stands in a list by updated where its own last change is', async () => {
    const { id, iCalUID } = await series();
    const other = await gateway.make(between('2026-10-12', '12:00', '13:00'));
    await gateway.change(second(id), { summary: 'Changed last' });
    const document = anyList.replace('status summary', 'status summary updated');
    const range = { timeMin: '2026-10-12T00:00:00Z', timeMax: '2026-11-03T00:00:00Z' };
    const variables = { calendarId: alice, singleEvents: true, orderBy: 'updated', ...range };
    const { event } = await gateway.run(document, variables);
    const times = event.nodes.map(({ updated }: Shown) => Date.parse(updated));
    expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
    expect(idsOf(event.nodes.slice(-2))).toEqual([other.id, second(id)]);
    expect(await idsOfPages({ ...variables, iCalUID, first: 1 })).toEqual([
      `${id}_20261012T070000Z`,
      third(id),
      `${id}_20261102T080000Z`,
      second(id),
    ]);
  });

  test('does not take the id of an occurrence that a guest has already, of a series of that name', async () => {
    const times = between('2027-01-04', '09:00', '10:00', '+01:00');
    const name = `serie${Math.floor(Math.random() * 1e9).toString(32)}`;
    const daily = { id: name, ...times, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };
    await gateway.make({ ...daily, summary: "Carol's" }, { as: carol, calendarId: carol });
    const { id } = await gateway.make({ ...daily, attendees: [{ email: bob }] });
    const attendees = [{ email: bob }, { email: carol }];
    await gateway.change(`${id}_20270106T080000Z`, { summary: 'Invited', attendees });
    const carols = { summary: "Carol's", organizer: { email: carol } };
    expect(await gateway.on(carol, `${id}_20270106T080000Z`)).toMatchObject(carols);
    const found = await nodes({ timeMin: '2027-01-06T00:00:00Z', timeMax: '2027-01-07T00:00:00Z' }, carol);
    expect(found.map(({ summary }) => summary).toSorted()).toEqual(["Carol's", 'Invited']);
    expect(new Set(idsOf(found)).size).toBe(2);
    const invited = found.find(({ summary }) => summary === 'Invited');
    expect(invited?.id).toBe(`${invited?.recurringEventId}_20270106T080000Z`);
    const shown = { summary: 'Invited', organizer: { email: alice } };
    expect(await gateway.on(carol, invited?.id)).toMatchObject(shown);
  });

  test('is as long as the event, also where a PERIOD says otherwise: a warning', async () => {
    const period = 'RDATE;TZID=Europe/Berlin;VALUE=PERIOD:20261014T090000/PT5H';
    const recurrence = ['RRULE:FREQ=WEEKLY;COUNT=2', period];
    const { event, notes } = await gateway.insert({ ...weekly, recurrence });
    expect(notes).toEqual(['event.recurrence.1 ignored']);
    const { end } = await gateway.on(alice, `${event.id}_20261014T070000Z`);
    expect(end).toMatchObject(at('2026-10-14T10:00:00+02:00'));
    expect((await gateway.patch(event.id, { recurrence, summary: 'Same rules' })).notes).toEqual([]);
  });

  test('forgets the answer of a guest who was taken off the series', async () => {
    const { id, attendees } = await series();
    await gateway.change(second(id), answer(bob, 'declined'), { as: bob });
    await gateway.change(id, { attendees: attendees.filter(({ email }: Shown) => email !== bob) });
    await gateway.change(id, { attendees: [{ email: alice }, { email: bob }, { email: eve }] });
    for (const eventId of [id, second(id)])
      expect(entryOf(await gateway.on(alice, eventId), bob)).toMatchObject({ responseStatus: 'needsAction' });
  });

  test('has guests of its own, who have it without the series', async () => {
    const { id } = await series();
    const { attendees } = await gateway.on(alice, second(id));
    const others = attendees.filter(({ email }: Shown) => email !== bob);
    await gateway.change(second(id), { attendees: [...others, { email: carol }] });
    const instance = { id: second(id), recurringEventId: id, summary: 'Planning' };
    expect(await gateway.on(carol, second(id))).toMatchObject(instance);
    await gateway.expectNotFound(carol, id);
    expect((await gateway.on(bob, second(id))).status).toBe('cancelled');
    expect((await gateway.on(bob, third(id))).status).toBe('confirmed');
    await gateway.change(id, { attendees: [{ email: alice }] });
    expect((await gateway.on(bob, third(id))).status).toBe('cancelled');
    expect((await gateway.on(carol, second(id))).status).toBe('confirmed');
  });

  test('of a private series is private, and of one where guests can modify it belongs to the organizer still', async () => {
    const { id } = await series({ visibility: 'private', guestsCanModify: true });
    await gateway.change(second(id), { summary: 'By Bob' }, { as: bob });
    expect(await gateway.on(alice, second(id), rita)).toMatchObject({ summary: null, visibility: 'private' });
    const shown = { summary: 'By Bob', organizer: { email: alice, self: true } };
    expect(await gateway.on(alice, second(id), wanda)).toMatchObject(shown);
  });
});

describe('an exception with guests of its own', () => {
  const gateway = useEvents();

  test('is not told of by what hidden guests do', async () => {
    const attendees = [{ email: bob }, { email: carol }];
    const { id } = await gateway.make({ ...weekly, guestsCanSeeOtherGuests: false, attendees });
    const seen = async (): Promise<Shown> => [
      await gateway.on(bob, second(id)),
      (await gateway.run(anyList, { calendarId: bob }, bob)).event,
    ];
    const before = await seen();
    await gateway.change(second(id), answer(carol, 'declined'), { as: carol });
    const [instance, { nodes }] = await seen();
    expect([instance.etag, nodes]).toEqual([before[0].etag, before[1].nodes]);
    const synced = await gateway.run(anyList, { calendarId: bob, syncToken: before[1].nextSyncToken }, bob);
    expect(synced.event.nodes).toEqual([]);
  });

  test('is not restored out of a cancelled series; maps of both are merged key by key; ids that are none are not found', async () => {
    const { id } = await gateway.make({ ...weekly, extendedProperties: { shared: { a: '1', b: '2' } } });
    await gateway.change(second(id), { extendedProperties: { shared: { a: 'x' } } });
    await gateway.change(id, { extendedProperties: { shared: { b: '3', c: '4' } } });
    const { extendedProperties } = await gateway.on(alice, second(id));
    expect(extendedProperties.shared).toEqual({ a: 'x', b: '3', c: '4' });
    await gateway.run(removal, { calendarId: alice, eventId: id });
    await gateway.refusesPatch(second(id), { status: 'confirmed' }, ['FORBIDDEN event.status forbidden']);
    for (const original of ['20261299T090000Z', '20261299', '99999999'])
      await gateway.expectNotFound(alice, `${id}_${original}`);
  });
});
