import {
  alice,
  bob,
  carol,
  emails,
  entryOf,
  eve,
  many,
  popup,
  type Shown,
  withoutNulls,
} from './event.harness.ts';
import { at, divisionsOn, documents, originals, weekly } from './following.harness.ts';
import { guests, hourAt } from './list.harness.ts';
import { stores } from '../stores.ts';

const newcomer = 'newcomer@elsewhere.example';
const reminders = (minutes: number) => ({ useDefault: false, overrides: [popup(minutes)] });
const conference = (requestId: string) => ({
  conferenceData: { createRequest: { requestId, conferenceSolutionKey: { type: 'hostedCall' } } },
});

/** What becomes of the very instance that was named, where it had been changed by itself. */
describe.each(stores)('the instance from which on a series is changed, over $name', ({ useGateway }) => {
  const gateway = useGateway();
  const { run, split, clean, instances, series, nth } = divisionsOn(gateway);
  const summaries = async (id: string): Promise<string[]> =>
    (await instances(id)).map(({ summary }) => summary);

  const times = { start: at('2026-10-12T15:00:00+02:00'), end: at('2026-10-12T16:00:00+02:00') };
  /** An instance with a summary, a place, times, reminders and guests of its own. */
  const changed = (made: Shown, index: number): Promise<Shown> =>
    gateway.change(nth(made, index), {
      summary: 'Own',
      location: 'Own',
      reminders: reminders(5),
      ...guests(alice, bob, carol),
      ...(index === 0 && times),
    });

  test.each([
    ['the first one, with which its series is changed', 0],
    ['a later one, from which on there is another series', 2],
  ])('takes the change over: %s', async (_name, index) => {
    const made = await series();
    await changed(made, index);
    const attendeeChanges = { add: [{ email: newcomer }], remove: [bob] };
    const body = { summary: 'All', reminders: { useDefault: true, overrides: null } };
    const { following } = await clean(split(nth(made, index), body, { attendeeChanges }));
    const named = await gateway.on(alice, nth(following, index));
    expect(named).toMatchObject({ summary: 'All', location: 'Own', reminders: { useDefault: true } });
    expect(emails(named)).toEqual([alice, carol, newcomer]);
    expect(emails(await gateway.on(alice, nth(following, 4)))).toEqual([alice, eve, newcomer]);
    // Who is taken off a series that was there sees that; to another one he never came.
    const { event: gone, problems } = await gateway.read(nth(following, index), { as: bob });
    expect([gone?.status, problems]).toEqual(
      index === 0 ? ['cancelled', []] : [undefined, ['NOT_FOUND eventId notFound']],
    );
    expect(await summaries(following.id)).toEqual(originals.slice(index).map(() => 'All'));
  });

  test('keeps what the patch leaves alone, and its own times where only their end is changed', async () => {
    const made = await series();
    await changed(made, 0);
    const end = at('2026-10-12T17:00:00+02:00');
    const { following } = await clean(split(nth(made, 0), { end }));
    const named = await gateway.on(alice, nth(following, 0));
    expect(named).toMatchObject({ summary: 'Own', start: times.start, end });
    expect(emails(named)).toEqual([alice, bob, carol]);
  });

  test('is as its series again where the series has what is sent already; nothing is changed twice', async () => {
    const made = await series();
    await gateway.change(nth(made, 0), { summary: 'Own', ...guests(alice, carol) });
    const before = await gateway.on(alice, made.id);
    const { following } = await clean(split(nth(made, 0), { summary: weekly.summary, start: weekly.start }));
    expect(following.etag).toBe(before.etag);
    const named = await gateway.on(alice, nth(made, 0));
    expect([named.summary, emails(named)]).toEqual([weekly.summary, [alice, carol]]);
    expect((await clean(split(nth(made, 0), { summary: weekly.summary }))).following.etag).toBe(before.etag);
    expect((await gateway.on(alice, nth(made, 0))).etag).toBe(named.etag);
  });

  test.each([0, 2])('takes over what is sent of maps, lists and settings (instance %i)', async (index) => {
    const made = await series({ reminders: reminders(30) });
    await gateway.change(nth(made, index), {
      reminders: reminders(1),
      extendedProperties: { private: { own: 'own', z: '9' }, shared: { project: 'own', y: '8' } },
      source: { title: 'Own', url: 'https://own.example/' },
    });
    await gateway.change(made.id, { source: { title: 'Series', url: 'https://series.example/' } });
    const extendedProperties = { private: { own: null, n: '1' }, shared: { project: 'p' } };
    const patch = { reminders: reminders(44), extendedProperties, source: { title: 'All' } };
    const { following } = await clean(split(nth(made, index), patch));
    const named = await gateway.on(alice, nth(following, index));
    expect([named.reminders, named.extendedProperties, named.source]).toEqual([
      reminders(44),
      { private: { z: '9', n: '1' }, shared: { project: 'p', y: '8' } },
      { title: 'All', url: 'https://own.example/' },
    ]);
    const other = await gateway.on(alice, nth(following, 5));
    expect([other.reminders, other.extendedProperties, other.source]).toEqual([
      reminders(44),
      { private: { n: '1' }, shared: { project: 'p' } },
      { title: 'All', url: 'https://series.example/' },
    ]);
  });

  test('has what all later ones get, where the body says so and is not the instance as it was read', async () => {
    const made = await series();
    const own = { summary: 'Own', ...hourAt('2026-10-26', 11) };
    const read = await gateway.change(nth(made, 2), own);
    const { id, etag, iCalUID } = read;
    const { following } = await clean(
      split(nth(made, 2), { id, etag, iCalUID, ...own }, { validateOnly: true }),
    );
    expect(following).toMatchObject(own);
    const again = await clean(split(nth(made, 2), { ...(withoutNulls(read) as object), location: 'Room 9' }));
    const expected = { summary: weekly.summary, location: 'Room 9', ...hourAt('2026-10-26', 9) };
    expect(again.following).toMatchObject(expected);
  });

  test('has the conference that is made for its series', async () => {
    const made = await series();
    const version = { conferenceDataVersion: 1 };
    await gateway.change(nth(made, 2), conference('own'), version);
    const { following } = await clean(split(nth(made, 2), conference('all'), version));
    const [named, next] = await Promise.all([2, 3].map((index) => gateway.on(alice, nth(following, index))));
    expect(named.conferenceData.conferenceId).toBe(next.conferenceData.conferenceId);
    expect(named.callLink).toBe(next.callLink);
  });

  test('has no more guests than fit: then nothing is divided', async () => {
    const made = await series();
    const crowd = many(199, (index) => `guest${index}@elsewhere.example`);
    await gateway.change(nth(made, 2), guests(alice, ...crowd));
    const attendeeChanges = { add: [{ email: newcomer }] };
    const { problems } = await split(nth(made, 2), { summary: 'All' }, { attendeeChanges });
    expect(problems).toEqual(['BAD_USER_INPUT attendeeChanges tooMany']);
    expect(await instances(made.id)).toHaveLength(originals.length);
  });

  test('moves with its occurrence, where the series starts at another time', async () => {
    const made = await series();
    await changed(made, 0);
    const moved = { start: at('2026-10-12T08:00:00+02:00'), end: at('2026-10-12T10:00:00+02:00') };
    const { following } = await clean(split(nth(made, 0), moved));
    expect(await summaries(following.id)).toEqual(['Own', ...originals.slice(1).map(() => weekly.summary)]);
  });

  test('that cannot be divided at is refused together with all else that is wrong', async () => {
    const made = await series();
    const wrong = { colorId: '99', summary: 'x' };
    expect((await split(made.id, wrong, { maxAttendees: 0 })).problems).toEqual([
      'BAD_USER_INPUT eventId invalid',
      'BAD_USER_INPUT maxAttendees invalid',
      'BAD_USER_INPUT event.colorId invalid',
    ]);
    const color = 'FORBIDDEN event.colorId invalid';
    const { problems } = await split(nth(made, 2), wrong, { as: bob });
    expect(problems).toEqual(['FORBIDDEN eventId forbiddenForNonOrganizer', color]);
    await gateway.change(nth(made, 2), { status: 'cancelled' });
    const { problems: more } = await split(nth(made, 2), wrong);
    expect(more).toEqual(['FORBIDDEN event.status forbidden', color]);
  });

  test('divides rules that count from different starts, where the patch says what follows', async () => {
    const rules = ['RRULE:FREQ=WEEKLY;INTERVAL=2', 'RRULE:FREQ=DAILY;INTERVAL=3'];
    const fifthOf = async (made: Shown): Promise<Shown> => (await instances(made.id))[4];
    const fifth = await fifthOf(await series({ recurrence: rules }));
    expect((await split(fifth.id, { colorId: '99' })).problems).toEqual([
      'BAD_USER_INPUT event.colorId invalid',
      'BAD_USER_INPUT eventId invalid',
    ]);
    await gateway.change(fifth.id, { summary: 'Own' });
    const { before, following } = await clean(split(fifth.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }));
    expect(await instances(before.id)).toHaveLength(4);
    expect(await summaries(following.id)).toEqual(['Own', 'Planning', 'Planning']);
    const other = await fifthOf(await series({ recurrence: rules }));
    const single = await clean(split(other.id, { recurrence: null, summary: 'Last' }));
    const { recurrence, summary, start: begin } = single.following;
    expect([recurrence, summary]).toEqual([null, 'Last']);
    expect(begin).toEqual({ ...fifth.start, date: null, timeZone: 'Europe/Berlin' });
    const ended = (await fifthOf(await series({ recurrence: rules }))).id;
    expect(await instances((await clean(run(documents.delete, { eventId: ended }))).id)).toHaveLength(4);
    // As they were, they are counted from here.
    const again = await fifthOf(await series({ recurrence: rules }));
    const { following: same } = await clean(split(again.id, { recurrence: rules }));
    expect([same.recurrence, entryOf(same, bob).email]).toEqual([rules, bob]);
  });
});
