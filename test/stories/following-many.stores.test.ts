import {
  useStreams,
  type OpenStream,
  type StreamOptions,
  type WireEvent,
} from '../http/streams/stream.harness.ts';
import { stores } from '../stores.ts';

const [alice, bob] = ['alice@example.com', 'bob@example.com'] as const;
const teamAddress = (number: number): string => `team${number}@example.com`;
const teams = Array.from({ length: 50 }, (_, index) => teamAddress(index));
const hourTimes = { start: { dateTime: '2030-12-01T10:00:00Z' }, end: { dateTime: '2030-12-01T11:00:00Z' } };
/** Calendars of Alice that Bob may read, and one that he may not read. */
const seed = {
  calendars: [alice, ...teams, 'secret@example.com'].map((id) => ({
    id,
    owner: alice,
    timeZone: 'UTC',
    events: [{ id: 'meeting', iCalUID: `meeting of ${id}`, summary: 'Meeting', ...hourTimes }],
    acl: id === 'secret@example.com' ? [] : [{ email: bob, role: 'freeBusyReader' }],
  })),
};

const calendarsChanged = (ids: readonly string[]): string =>
  `subscription { calendarsChanged(calendarIds: ${JSON.stringify(ids)}) { calendarId changedAt } }`;
const expectedChangeOf = (calendarId: string): WireEvent => ({
  event: 'next',
  id: undefined,
  data: { data: { calendarsChanged: { calendarId, changedAt: expect.stringMatching(/Z$/) as string } } },
});
const notFoundErrors = (...indexes: readonly number[]) => {
  const message = 'There is no such calendar.';
  const issues = indexes.map((index) => ({ path: ['calendarIds', index], reason: 'notFound', message }));
  const extensions = { code: 'NOT_FOUND', reason: 'notFound', issues };
  return [{ message: expect.stringContaining(message) as string, extensions }];
};
const idOf = (event: WireEvent | undefined): string => event?.data.data.calendarsChanged.calendarId as string;

describe.each(stores)('following calendars in one stream, over $name,', (storeUnderTest) => {
  const harness = useStreams(storeUnderTest, seed);
  const openStreams: OpenStream[] = [];
  afterEach(() => openStreams.splice(0).forEach((stream) => stream.close()));

  const openStream = async (ids: readonly string[], options: StreamOptions = {}): Promise<OpenStream> => {
    const stream = await harness.streams.open(calendarsChanged(ids), options);
    openStreams.push(stream);
    return stream;
  };
  const readEvents = async (stream: OpenStream, count: number): Promise<(WireEvent | undefined)[]> => {
    const events: (WireEvent | undefined)[] = [];
    while (events.length < count) events.push(await stream.next());
    return events;
  };
  const runMutation = async (field: string, id: string): Promise<void> => {
    const { errors } = await harness.writer.ask(`mutation ($id: String!) { ${field} }`, { id });
    expect(errors).toBeUndefined();
  };
  const patchMeeting = (id: string, summary = `At ${performance.now()}`): Promise<void> =>
    runMutation(
      `patchEvent(calendarId: $id, eventId: "meeting", event: { summary: "${summary}" }) { id }`,
      id,
    );
  const revokeAccess = (id: string): Promise<void> =>
    runMutation(`setCalendarAccess(calendarId: $id, email: "${bob}", role: none) { role }`, id);
  const deleteCalendar = (id: string): Promise<void> => runMutation('deleteCalendar(calendarId: $id)', id);

  test('starts with one event per calendar, then reports which calendar has changed', async () => {
    const stream = await openStream([teamAddress(2), 'primary', teamAddress(1)]);
    expect(await readEvents(stream, 3)).toEqual(
      [teamAddress(2), alice, teamAddress(1)].map(expectedChangeOf),
    );
    for (const id of [teamAddress(1), alice, teamAddress(2), teamAddress(1)]) {
      await patchMeeting(teamAddress(3));
      await patchMeeting(id);
      expect(await stream.next()).toEqual(expectedChangeOf(id));
    }
  });

  test('follows a calendar once that is named twice, in two letter cases or also as primary', async () => {
    const teamInUpperCase = teamAddress(1).toUpperCase();
    const stream = await openStream([teamInUpperCase, 'primary', teamAddress(1), alice, teamInUpperCase]);
    expect(await readEvents(stream, 2)).toEqual([teamInUpperCase, alice].map(expectedChangeOf));
    await patchMeeting(teamAddress(1));
    expect(await stream.next()).toEqual(expectedChangeOf(teamInUpperCase));
    await patchMeeting(alice);
    expect(await stream.next()).toEqual(expectedChangeOf(alice));
  });

  test('accepts fifty calendars, and free/busy readers', async () => {
    const stream = await openStream(teams, { as: bob });
    expect(await readEvents(stream, 50)).toEqual(teams.map(expectedChangeOf));
    await patchMeeting(teamAddress(49));
    expect(await stream.next()).toEqual(expectedChangeOf(teamAddress(49)));
    await Promise.all(teams.map((id) => patchMeeting(id)));
    expect(new Set((await readEvents(stream, 50)).map(idOf))).toEqual(new Set(teams));
  });

  test.each([
    ['none', [], 'required', { min: 1, max: 50, actual: 0 }],
    ['fifty-one', [...teams, teamAddress(0)], 'tooMany', { max: 50, actual: 51 }],
  ])('refuses %s calendars', async (_name, ids, reason, params) => {
    const [error, complete, ...furtherEvents] = await (await openStream(ids)).readUntilEnd();
    const extensions = { code: 'BAD_USER_INPUT', reason, issues: [{ path: ['calendarIds'], params }] };
    const message = expect.stringMatching(/^[A-Z].*\.$/);
    expect(error?.data.errors).toMatchObject([{ message, extensions }]);
    expect([complete?.event, furtherEvents]).toEqual(['complete', []]);
  });

  test('refuses the stream for calendars the caller cannot see, each by its index', async () => {
    const ids = ['none@example.com', teamAddress(1), 'secret@example.com'];
    const [error, complete, ...furtherEvents] = await (await openStream(ids, { as: bob })).readUntilEnd();
    expect(error?.data).toMatchObject({ errors: notFoundErrors(0, 2) });
    expect([complete?.event, furtherEvents]).toEqual(['complete', []]);
  });

  test('ignores Last-Event-ID', async () => {
    const { data } = await harness.gateway.ask('{ events(calendarId: "primary") { nextSyncToken } }');
    const stream = await openStream(['primary'], { lastEventId: data.events.nextSyncToken });
    expect(await stream.next()).toEqual(expectedChangeOf(alice));
    await patchMeeting(alice);
    expect(await stream.next()).toEqual(expectedChangeOf(alice));
  });

  test('coalesces fast changes per calendar, and never misses the last one', async () => {
    const stream = await openStream([teamAddress(5), teamAddress(6)]);
    await readEvents(stream, 2);
    for (let count = 0; count < 40; count += 1)
      await patchMeeting(teamAddress(5 + (count % 2)), `change ${count}`);
    const summaries = new Map<string, string>();
    let eventCount = 0;
    for (
      ;
      summaries.get(teamAddress(5)) !== 'change 38' || summaries.get(teamAddress(6)) !== 'change 39';
      eventCount += 1
    ) {
      const id = idOf(await stream.next());
      const { data } = await harness.gateway.ask(
        `{ event(calendarId: "${id}", eventId: "meeting") { summary } }`,
      );
      summaries.set(id, data.event.summary as string);
    }
    expect(eventCount).toBeLessThan(40);
  });

  test('reports lost access to a calendar once, and continues with the others', async () => {
    const ids = [teamAddress(10), teamAddress(11), teamAddress(12), teamAddress(11)];
    const stream = await openStream(ids, { as: bob });
    await readEvents(stream, 3);
    await revokeAccess(teamAddress(11));
    const errors = [expect.objectContaining({ path: ['calendarsChanged'] })];
    const data = { data: { calendarsChanged: null }, errors };
    const lostEvent = { event: 'next', id: undefined, data };
    const error = await stream.next();
    expect(error).toEqual(lostEvent);
    expect(error?.data.errors).toMatchObject(notFoundErrors(1, 3));
    await patchMeeting(teamAddress(11));
    for (const id of [teamAddress(10), teamAddress(12), teamAddress(10)]) {
      await patchMeeting(id);
      expect(await stream.next()).toEqual(expectedChangeOf(id));
    }
    for (const number of [10, 12]) {
      await (number === 10 ? revokeAccess : deleteCalendar)(teamAddress(number));
      expect(await stream.next()).toEqual(lostEvent);
    }
    expect(await stream.readUntilEnd()).toEqual([{ event: 'complete', id: undefined, data: undefined }]);
  });
});
