import {
  alice,
  berlin,
  bob,
  oneHour,
  makeMany,
  startEventGateway,
  textOfLength,
  zonedHour,
  type Controls,
  wanda,
} from '../event/event.harness.ts';
import { readPage } from '../event/list.harness.ts';
import { useForEach } from '../use-resource.ts';

const reuseConflict = ['CONFLICT requestId requestIdReused'];

describe('an insert with a requestId', () => {
  const gateway = useForEach(() => startEventGateway());
  const countEvents = async (): Promise<number> =>
    (await readPage(gateway, { showDeleted: true })).ids.length;
  const withRequestId = { requestId: 'r1' };

  test('returns the first result when repeated, even after the event has changed, and stores nothing', async () => {
    const body = { ...oneHour, summary: 'Once', attendees: [{ email: bob }] };
    const first = await gateway.insert(body, withRequestId);
    expect((await gateway.insert({ location: null, ...body }, withRequestId)).event).toEqual(first.event);
    await gateway.changeEvent(first.event.id, { summary: 'Changed', status: 'cancelled' });
    expect((await gateway.insert(body, withRequestId)).event).toEqual(first.event);
    const { event } = await gateway.read(first.event.id);
    expect([await countEvents(), event.summary, event.status]).toEqual([1, 'Changed', 'cancelled']);
  });

  test('returns an instance when repeated after its series was cancelled', async () => {
    const series = await gateway.makeEvent({ ...zonedHour, recurrence: ['RRULE:FREQ=DAILY'] });
    const originalStartTime = { dateTime: '2026-12-03T10:00:00+01:00', timeZone: berlin };
    const body = { ...oneHour, recurringEventId: series.id, originalStartTime };
    const first = await gateway.insert(body, withRequestId);
    expect(first.problems).toEqual([]);
    await gateway.changeEvent(series.id, { status: 'cancelled' });
    const repeated = await gateway.insert(body, withRequestId);
    expect([repeated.problems, repeated.event]).toEqual([[], first.event]);
  });

  test.each<[string, object, object]>([
    ['another body', { summary: 'Other' }, {}],
    ['another calendar', {}, { calendarId: bob }],
    ['another control argument', {}, { sendUpdates: 'all' }],
    ['another body in a dry run', { summary: 'Other' }, { validateOnly: true }],
  ])('is a conflict with %s, and stores nothing', async (_name, change, options) => {
    const controls = { ...withRequestId, as: wanda, calendarId: alice };
    await gateway.insert({ ...oneHour, summary: 'Once' }, controls);
    const second = await gateway.insert(
      { ...oneHour, summary: 'Once', ...change },
      { ...controls, ...options },
    );
    expect(second.problems).toEqual(reuseConflict);
    expect(await countEvents()).toBe(1);
  });

  test('is separate for each caller; a hundred concurrent inserts of one caller create one event', async () => {
    const results = await Promise.all(makeMany(100, () => gateway.insert(oneHour, withRequestId)));
    expect(new Set(results.map(({ event }) => event?.id)).size).toBe(1);
    const otherResult = await gateway.insert(oneHour, { ...withRequestId, as: wanda, calendarId: alice });
    expect([otherResult.problems, await countEvents()]).toEqual([[], 2]);
  });

  test('leaves the requestId unused if it is refused or a dry run', async () => {
    const problemsOf = async (body: object, controls: Controls): Promise<readonly string[]> =>
      (await gateway.insert(body, controls)).problems;
    expect(await problemsOf({ start: oneHour.start }, withRequestId)).toEqual([
      'BAD_USER_INPUT event.end required',
    ]);
    expect(await problemsOf(oneHour, { ...withRequestId, validateOnly: true })).toEqual([]);
    const bodyWithId = { ...oneHour, id: 'chosen' };
    const first = await gateway.insert(bodyWithId, withRequestId);
    expect(await problemsOf(bodyWithId, { requestId: 'r2' })).toEqual(['CONFLICT event.id duplicate']);
    expect(await problemsOf({ ...oneHour, id: 'others' }, { requestId: 'r2' })).toEqual([]);
    expect((await gateway.insert(bodyWithId, { ...withRequestId, validateOnly: false })).event).toEqual(
      first.event,
    );
  });

  test('reports issues of the requestId together with those of the body', async () => {
    expect(
      (await gateway.insert({ start: oneHour.start }, { requestId: textOfLength(257) })).problems.toSorted(),
    ).toEqual(['BAD_USER_INPUT event.end required', 'BAD_USER_INPUT requestId tooLong']);
    const { problems } = await gateway.insert(oneHour, { requestId: '' });
    expect(problems).toEqual(['BAD_USER_INPUT requestId invalid']);
  });

  test('concurrent inserts of one ID on the calendars of two guests store unique IDs on each', async () => {
    const ids = makeMany(20, (index) => `same${index}`);
    const results = await Promise.all(
      ids.flatMap((id) => [
        gateway.insert({ ...oneHour, id, attendees: [{ email: bob }] }),
        gateway.insert({ ...oneHour, id, attendees: [{ email: alice }] }, { as: bob }),
      ]),
    );
    const problems = results.flatMap((result) => result.problems);
    expect(problems).toEqual(problems.map(() => 'CONFLICT event.id duplicate'));
    for (const as of [alice, bob]) {
      const listedIds = (await readPage(gateway, { as })).ids;
      expect([listedIds.length, new Set(listedIds).size]).toEqual([
        40 - problems.length,
        40 - problems.length,
      ]);
      expect(listedIds).toEqual(expect.arrayContaining(ids));
    }
  });
});
