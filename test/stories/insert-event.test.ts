import {
  alice,
  berlin,
  bob,
  hour,
  makeMany,
  startEvents,
  textOf,
  wanda,
  zoned,
  type Controls,
} from '../event/event.harness.ts';
import { readPage } from '../event/list.harness.ts';
import { useForEach } from '../started.ts';

const reuseConflict = ['CONFLICT requestId requestIdReused'];

describe('an insert with a requestId', () => {
  const gateway = useForEach(() => startEvents());
  const count = async (): Promise<number> => (await readPage(gateway, { showDeleted: true })).ids.length;
  const withId = { requestId: 'r1' };

  test('returns the first result when repeated, even after the event has changed, and stores nothing', async () => {
    const body = { ...hour, summary: 'Once', attendees: [{ email: bob }] };
    const first = await gateway.insert(body, withId);
    expect((await gateway.insert({ location: null, ...body }, withId)).event).toEqual(first.event);
    await gateway.changeEvent(first.event.id, { summary: 'Changed', status: 'cancelled' });
    expect((await gateway.insert(body, withId)).event).toEqual(first.event);
    const { event } = await gateway.read(first.event.id);
    expect([await count(), event.summary, event.status]).toEqual([1, 'Changed', 'cancelled']);
  });

  test('returns an instance when repeated after its series was cancelled', async () => {
    const series = await gateway.makeEvent({ ...zoned, recurrence: ['RRULE:FREQ=DAILY'] });
    const originalStartTime = { dateTime: '2026-12-03T10:00:00+01:00', timeZone: berlin };
    const body = { ...hour, recurringEventId: series.id, originalStartTime };
    const first = await gateway.insert(body, withId);
    expect(first.problems).toEqual([]);
    await gateway.changeEvent(series.id, { status: 'cancelled' });
    const repeated = await gateway.insert(body, withId);
    expect([repeated.problems, repeated.event]).toEqual([[], first.event]);
  });

  test.each<[string, object, object]>([
    ['another body', { summary: 'Other' }, {}],
    ['another calendar', {}, { calendarId: bob }],
    ['another control argument', {}, { sendUpdates: 'all' }],
    ['another body in a dry run', { summary: 'Other' }, { validateOnly: true }],
  ])('is a conflict with %s, and stores nothing', async (_name, change, options) => {
    const controls = { ...withId, as: wanda, calendarId: alice };
    await gateway.insert({ ...hour, summary: 'Once' }, controls);
    const second = await gateway.insert({ ...hour, summary: 'Once', ...change }, { ...controls, ...options });
    expect(second.problems).toEqual(reuseConflict);
    expect(await count()).toBe(1);
  });

  test('is separate for each caller; a hundred concurrent inserts of one caller create one event', async () => {
    const results = await Promise.all(makeMany(100, () => gateway.insert(hour, withId)));
    expect(new Set(results.map(({ event }) => event?.id)).size).toBe(1);
    const otherResult = await gateway.insert(hour, { ...withId, as: wanda, calendarId: alice });
    expect([otherResult.problems, await count()]).toEqual([[], 2]);
  });

  test('leaves the requestId unused if it is refused or a dry run', async () => {
    const problemsOf = async (body: object, controls: Controls): Promise<readonly string[]> =>
      (await gateway.insert(body, controls)).problems;
    expect(await problemsOf({ start: hour.start }, withId)).toEqual(['BAD_USER_INPUT event.end required']);
    expect(await problemsOf(hour, { ...withId, validateOnly: true })).toEqual([]);
    const chosen = { ...hour, id: 'chosen' };
    const first = await gateway.insert(chosen, withId);
    expect(await problemsOf(chosen, { requestId: 'r2' })).toEqual(['CONFLICT event.id duplicate']);
    expect(await problemsOf({ ...hour, id: 'others' }, { requestId: 'r2' })).toEqual([]);
    expect((await gateway.insert(chosen, { ...withId, validateOnly: false })).event).toEqual(first.event);
  });

  test('reports issues of the requestId together with those of the body', async () => {
    expect(
      (await gateway.insert({ start: hour.start }, { requestId: textOf(257) })).problems.toSorted(),
    ).toEqual(['BAD_USER_INPUT event.end required', 'BAD_USER_INPUT requestId tooLong']);
    const { problems } = await gateway.insert(hour, { requestId: '' });
    expect(problems).toEqual(['BAD_USER_INPUT requestId invalid']);
  });

  test('concurrent inserts of one ID on the calendars of two guests store unique IDs on each', async () => {
    const ids = makeMany(20, (index) => `same${index}`);
    const results = await Promise.all(
      ids.flatMap((id) => [
        gateway.insert({ ...hour, id, attendees: [{ email: bob }] }),
        gateway.insert({ ...hour, id, attendees: [{ email: alice }] }, { as: bob }),
      ]),
    );
    const problems = results.flatMap((answer) => answer.problems);
    expect(problems).toEqual(problems.map(() => 'CONFLICT event.id duplicate'));
    for (const as of [alice, bob]) {
      const found = (await readPage(gateway, { as })).ids;
      expect([found.length, new Set(found).size]).toEqual([40 - problems.length, 40 - problems.length]);
      expect(found).toEqual(expect.arrayContaining(ids));
    }
  });
});
