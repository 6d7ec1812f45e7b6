import { useStreams, type Opened, type Opening, type WireEvent } from '../http/streams/stream.harness.ts';
import { stores } from '../stores.ts';

const [alice, bob] = ['alice@example.com', 'bob@example.com'] as const;
const team = (number: number): string => `team${number}@example.com`;
const teams = Array.from({ length: 50 }, (_, index) => team(index));
const hour = { start: { dateTime: '2030-12-01T10:00:00Z' }, end: { dateTime: '2030-12-01T11:00:00Z' } };
/** Calendars of Alice that Bob may read, and one that he may not. */
const seed = {
  calendars: [alice, ...teams, 'secret@example.com'].map((id) => ({
    id,
    owner: alice,
    timeZone: 'UTC',
    events: [{ id: 'meeting', iCalUID: `meeting of ${id}`, summary: 'Meeting', ...hour }],
    acl: id === 'secret@example.com' ? [] : [{ email: bob, role: 'freeBusyReader' }],
  })),
};

const calendarsChanged = (ids: readonly string[]): string =>
  `subscription { calendarsChanged(calendarIds: ${JSON.stringify(ids)}) { calendarId changedAt } }`;
const told = (calendarId: string): WireEvent => ({
  event: 'next',
  id: undefined,
  data: { data: { calendarsChanged: { calendarId, changedAt: expect.stringMatching(/Z$/) as string } } },
});
const notFound = (...indexes: readonly number[]) => {
  const message = 'There is no such calendar.';
  const issues = indexes.map((index) => ({ path: ['calendarIds', index], reason: 'notFound', message }));
  const extensions = { code: 'NOT_FOUND', reason: 'notFound', issues };
  return [{ message: expect.stringContaining(message) as string, extensions }];
};
const idOf = (event: WireEvent | undefined): string => event?.data.data.calendarsChanged.calendarId as string;

describe.each(stores)('following calendars in one stream, over $name,', (store) => {
  const started = useStreams(store, seed);
  const opened: Opened[] = [];
  afterEach(() => opened.splice(0).forEach((stream) => stream.close()));

  const open = async (ids: readonly string[], options: Opening = {}): Promise<Opened> => {
    const stream = await started.streams.open(calendarsChanged(ids), options);
    opened.push(stream);
    return stream;
  };
  const next = async (stream: Opened, count: number): Promise<(WireEvent | undefined)[]> => {
    const events: (WireEvent | undefined)[] = [];
    while (events.length < count) events.push(await stream.next());
    return events;
  };
  const mutate = async (field: string, id: string): Promise<void> => {
    const { errors } = await started.other.ask(`mutation ($id: String!) { ${field} }`, { id });
    expect(errors).toBeUndefined();
  };
  const change = (id: string, summary = `At ${performance.now()}`): Promise<void> =>
    mutate(`patchEvent(calendarId: $id, eventId: "meeting", event: { summary: "${summary}" }) { id }`, id);
  const takeAccess = (id: string): Promise<void> =>
    mutate(`setCalendarAccess(calendarId: $id, email: "${bob}", role: none) { role }`, id);
  const remove = (id: string): Promise<void> => mutate('deleteCalendar(calendarId: $id)', id);

  test('begins with one event for each, and then tells which of them has changed', async () => {
    const stream = await open([team(2), 'primary', team(1)]);
    expect(await next(stream, 3)).toEqual([team(2), alice, team(1)].map(told));
    for (const id of [team(1), alice, team(2), team(1)]) {
      await change(team(3));
      await change(id);
      expect(await stream.next()).toEqual(told(id));
    }
  });

  test('tells a calendar that is named in two letter cases once, by the first', async () => {
    const first = team(1).toUpperCase();
    const stream = await open([first, team(1), team(2)]);
    expect(await next(stream, 2)).toEqual([first, team(2)].map(told));
    await change(team(1));
    expect(await stream.next()).toEqual(told(first));
  });

  test('follows a calendar once that is named twice, or as primary as well', async () => {
    const stream = await open(['primary', team(1), alice, team(1)]);
    expect(await next(stream, 2)).toEqual([alice, team(1)].map(told));
    await change(alice);
    await change(team(1));
    expect((await next(stream, 2)).map(idOf).sort()).toEqual([alice, team(1)]);
  });

  test('takes fifty, of a list in variables too, and a caller who sees their times only', async () => {
    const stream = await open(teams, { as: bob });
    expect(await next(stream, 50)).toEqual(teams.map(told));
    await change(team(49));
    expect(await stream.next()).toEqual(told(team(49)));
    await Promise.all(teams.map((id) => change(id)));
    expect(new Set((await next(stream, 50)).map(idOf))).toEqual(new Set(teams));
  });

  test.each([
    ['none', [], 'required', { min: 1, max: 50, actual: 0 }],
    ['fifty-one', [...teams, team(0)], 'tooMany', { max: 50, actual: 51 }],
  ])('refuses %s of them', async (_name, ids, reason, params) => {
    const [error, complete, ...others] = await (await open(ids)).rest();
    const extensions = { code: 'BAD_USER_INPUT', reason, issues: [{ path: ['calendarIds'], params }] };
    const message = expect.stringMatching(/^[A-Z].*\.$/);
    expect(error?.data.errors).toMatchObject([{ message, extensions }]);
    expect([complete?.event, others]).toEqual(['complete', []]);
  });

  test('refuses all for those that there are not for the caller, each by its place', async () => {
    const ids = ['none@example.com', team(1), 'secret@example.com'];
    const [error, complete, ...others] = await (await open(ids, { as: bob })).rest();
    expect(error?.data).toMatchObject({ errors: notFound(0, 2) });
    expect([complete?.event, others]).toEqual(['complete', []]);
  });

  test('begins anew whatever the last event was', async () => {
    const { data } = await started.gateway.ask('{ events(calendarId: "primary") { nextSyncToken } }');
    const stream = await open(['primary'], { lastEventId: data.events.nextSyncToken });
    expect(await stream.next()).toEqual(told(alice));
    await change(alice);
    expect(await stream.next()).toEqual(told(alice));
  });

  test('tells changes of each that come fast together, and never misses the last', async () => {
    const stream = await open([team(5), team(6)]);
    await next(stream, 2);
    for (let count = 0; count < 40; count += 1) await change(team(5 + (count % 2)), `change ${count}`);
    const seen = new Map<string, string>();
    let events = 0;
    for (; seen.get(team(5)) !== 'change 38' || seen.get(team(6)) !== 'change 39'; events += 1) {
      const id = idOf(await stream.next());
      const { data } = await started.gateway.ask(
        `{ event(calendarId: "${id}", eventId: "meeting") { summary } }`,
      );
      seen.set(id, data.event.summary as string);
    }
    expect(events).toBeLessThan(40);
  });

  test('tells of one that the caller may not read any more once, and goes on with the others', async () => {
    const ids = [team(10), team(11), team(12), team(11)];
    const stream = await open(ids, { as: bob });
    await next(stream, 3);
    await takeAccess(team(11));
    const errors = [expect.objectContaining({ path: ['calendarsChanged'] })];
    const data = { data: { calendarsChanged: null }, errors };
    const lost = { event: 'next', id: undefined, data };
    const error = await stream.next();
    expect(error).toEqual(lost);
    expect(error?.data.errors).toMatchObject(notFound(1, 3));
    await change(team(11));
    for (const id of [team(10), team(12), team(10)]) {
      await change(id);
      expect(await stream.next()).toEqual(told(id));
    }
    for (const number of [10, 12]) {
      await (number === 10 ? takeAccess : remove)(team(number));
      expect(await stream.next()).toEqual(lost);
    }
    expect(await stream.rest()).toEqual([{ event: 'complete', id: undefined, data: undefined }]);
  });
});
