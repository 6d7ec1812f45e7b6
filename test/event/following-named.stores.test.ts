import {
  alice,
  bob,
  carol,
  emails,
  entryOf,
  eve,
  popup,
  withoutNulls,
  type EventGateway,
  type Shown,
} from './event.harness.ts';
import { at, divisionsOn, originals, weekly } from './following.harness.ts';
import { stores } from '../stores.ts';

const newcomer = 'newcomer@elsewhere.example';

/** What becomes of the very instance that was named, where it had been changed by itself. */
describe.each(stores)('the instance from which on a series is changed, over $name', ({ useGateways }) => {
  const start = useGateways();

  let gateway: EventGateway;
  beforeEach(async () => {
    gateway = await start();
  });
  const { split, clean, instances, series, nth } = divisionsOn(() => gateway);

  /** An instance with a summary, a place, times, reminders and guests of its own. */
  const changed = (made: Shown, index: number): Promise<Shown> =>
    gateway.change(nth(made, index), {
      summary: 'Own',
      location: 'Own',
      reminders: { useDefault: false, overrides: [popup(5)] },
      attendees: [{ email: alice }, { email: bob }, { email: carol }],
      ...(index === 0
        ? { start: at('2026-10-12T15:00:00+02:00'), end: at('2026-10-12T16:00:00+02:00') }
        : {}),
    });

  test.each([
    ['the first one, with which its series is changed', 0],
    ['a later one, from which on there is another series', 2],
  ])('takes the change over: %s', async (_name, index) => {
    const made = await series();
    await changed(made, index);
    const changes = { add: [{ email: newcomer }], remove: [bob] };
    const { following } = await clean(
      split(
        nth(made, index),
        { summary: 'All', reminders: { useDefault: true, overrides: null } },
        { attendeeChanges: changes },
      ),
    );
    const named = await gateway.on(alice, nth(following, index));
    expect(named).toMatchObject({ summary: 'All', location: 'Own', reminders: { useDefault: true } });
    expect(emails(named)).toEqual([alice, carol, newcomer]);
    expect(emails(await gateway.on(alice, nth(following, 4)))).toEqual([alice, eve, newcomer]);
    // Who is taken off a series that was there sees that; to another one he never came.
    const { event: gone, problems } = await gateway.read(nth(following, index), { as: bob });
    expect([gone?.status, problems]).toEqual(
      index === 0 ? ['cancelled', []] : [undefined, ['NOT_FOUND eventId notFound']],
    );
    expect((await instances(following.id)).map(({ summary }) => summary)).toEqual(
      originals.slice(index).map(() => 'All'),
    );
  });

  test('keeps what the patch leaves alone, and its own times where only their end is changed', async () => {
    const made = await series();
    await changed(made, 0);
    const { following } = await clean(split(nth(made, 0), { end: at('2026-10-12T17:00:00+02:00') }));
    const named = await gateway.on(alice, nth(following, 0));
    expect(named).toMatchObject({
      summary: 'Own',
      start: at('2026-10-12T15:00:00+02:00'),
      end: at('2026-10-12T17:00:00+02:00'),
    });
    expect(emails(named)).toEqual([alice, bob, carol]);
  });

  test('is as its series again where the series has what is sent already; nothing is changed twice', async () => {
    const made = await series();
    await gateway.change(nth(made, 0), { summary: 'Own', attendees: [{ email: alice }, { email: carol }] });
    const before = await gateway.on(alice, made.id);
    const { following } = await clean(split(nth(made, 0), { summary: weekly.summary, start: weekly.start }));
    expect(following.etag).toBe(before.etag);
    const named = await gateway.on(alice, nth(made, 0));
    expect([named.summary, emails(named)]).toEqual([weekly.summary, [alice, carol]]);
    expect((await clean(split(nth(made, 0), { summary: weekly.summary }))).following.etag).toBe(before.etag);
    expect((await gateway.on(alice, nth(made, 0))).etag).toBe(named.etag);
  });

  test.each([0, 2])(
    'takes over what the patch says of maps, lists and settings of its own (instance %i)',
    async (index) => {
      const made = await series({ reminders: { useDefault: false, overrides: [popup(30)] } });
      await gateway.change(nth(made, index), {
        reminders: { useDefault: false, overrides: [popup(1)] },
        extendedProperties: { private: { own: 'own', z: '9' }, shared: { project: 'own', y: '8' } },
        source: { title: 'Own', url: 'https://own.example/' },
      });
      const patch = {
        reminders: { useDefault: false, overrides: [popup(44)] },
        extendedProperties: { private: { own: null, n: '1' }, shared: { project: 'p' } },
        source: { title: 'All' },
      };
      await gateway.change(made.id, { source: { title: 'Series', url: 'https://series.example/' } });
      const { following } = await clean(split(nth(made, index), patch));
      const shown = async (at: number): Promise<unknown> => {
        const { reminders, extendedProperties, source } = await gateway.on(alice, nth(following, at));
        return [reminders.overrides, extendedProperties, source];
      };
      expect(await shown(index)).toEqual([
        [popup(44)],
        { private: { z: '9', n: '1' }, shared: { project: 'p', y: '8' } },
        { title: 'All', url: 'https://own.example/' },
      ]);
      expect(await shown(5)).toEqual([
        [popup(44)],
        { private: { n: '1' }, shared: { project: 'p' } },
        { title: 'All', url: 'https://series.example/' },
      ]);
    },
  );

  test('has what all later ones get, where the body says so and is not the instance as it was read', async () => {
    const made = await series();
    const own = {
      summary: 'Own',
      start: at('2026-10-26T11:00:00+01:00'),
      end: at('2026-10-26T12:00:00+01:00'),
    };
    const read = await gateway.change(nth(made, 2), own);
    const { following } = await clean(
      split(
        nth(made, 2),
        { id: read.id, etag: read.etag, iCalUID: read.iCalUID, ...own },
        { validateOnly: true },
      ),
    );
    expect(following).toMatchObject(own);
    const again = await clean(split(nth(made, 2), { ...(withoutNulls(read) as object), location: 'Room 9' }));
    expect(again.following).toMatchObject({
      summary: weekly.summary,
      location: 'Room 9',
      start: at('2026-10-26T09:00:00+01:00'),
    });
  });

  test('has the conference that is made for its series', async () => {
    const made = await series();
    await gateway.change(
      nth(made, 2),
      {
        conferenceData: {
          createRequest: { requestId: 'own', conferenceSolutionKey: { type: 'hostedCall' } },
        },
      },
      { conferenceDataVersion: 1 },
    );
    const { following } = await clean(
      split(
        nth(made, 2),
        {
          conferenceData: {
            createRequest: { requestId: 'all', conferenceSolutionKey: { type: 'hostedCall' } },
          },
        },
        { conferenceDataVersion: 1 },
      ),
    );
    const [named, next] = await Promise.all([2, 3].map((index) => gateway.on(alice, nth(following, index))));
    expect([named.conferenceData.conferenceId, named.callLink]).toEqual([
      next.conferenceData.conferenceId,
      next.callLink,
    ]);
  });

  test('has no more guests than fit: then nothing is divided', async () => {
    const made = await series();
    const crowd = Array.from({ length: 199 }, (_, index) => ({ email: `guest${index}@elsewhere.example` }));
    await gateway.change(nth(made, 2), { attendees: [{ email: alice }, ...crowd] });
    const { problems } = await split(
      nth(made, 2),
      { summary: 'All' },
      { attendeeChanges: { add: [{ email: newcomer }] } },
    );
    expect(problems).toEqual(['BAD_USER_INPUT attendeeChanges tooMany']);
    expect((await instances(made.id)).length).toBe(originals.length);
  });

  test('is lost with its occurrence, where the series starts at another time', async () => {
    const made = await series();
    await changed(made, 0);
    const { following } = await clean(
      split(nth(made, 0), { start: at('2026-10-12T08:00:00+02:00'), end: at('2026-10-12T10:00:00+02:00') }),
    );
    expect((await instances(following.id)).map(({ summary }) => summary)).toEqual(
      originals.map(() => weekly.summary),
    );
  });

  test('that cannot be divided at is refused together with all else that is wrong', async () => {
    const made = await series();
    const wrong = { colorId: '99', summary: 'x' };
    expect((await split(made.id, wrong, { maxAttendees: 0 })).problems).toEqual([
      'BAD_USER_INPUT eventId invalid',
      'BAD_USER_INPUT maxAttendees invalid',
      'BAD_USER_INPUT event.colorId invalid',
    ]);
    expect((await split(nth(made, 2), wrong, { as: bob })).problems).toEqual([
      'FORBIDDEN eventId forbiddenForNonOrganizer',
      'FORBIDDEN event.colorId invalid',
    ]);
    await gateway.change(nth(made, 2), { status: 'cancelled' });
    expect((await split(nth(made, 2), wrong)).problems).toEqual([
      'FORBIDDEN event.status forbidden',
      'FORBIDDEN event.colorId invalid',
    ]);
  });

  test('divides rules that count from different starts, where the patch says what follows', async () => {
    const rules = ['RRULE:FREQ=WEEKLY;INTERVAL=2', 'RRULE:FREQ=DAILY;INTERVAL=3'];
    const [made, other] = [await series({ recurrence: rules }), await series({ recurrence: rules })];
    const fifth = (await instances(made.id))[4];
    expect((await split(fifth.id, { colorId: '99' })).problems).toEqual([
      'BAD_USER_INPUT event.colorId invalid',
      'BAD_USER_INPUT eventId invalid',
    ]);
    await gateway.change(fifth.id, { summary: 'Own' });
    const { before, following } = await clean(split(fifth.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }));
    expect([
      (await instances(before.id)).length,
      (await instances(following.id)).map(({ summary }) => summary),
    ]).toEqual([4, ['Own', 'Planning', 'Planning']]);
    const single = await clean(
      split((await instances(other.id))[4].id, { recurrence: null, summary: 'Last' }),
    );
    expect([single.following.recurrence, single.following.summary, single.following.start]).toEqual([
      null,
      'Last',
      { ...fifth.start, date: null, timeZone: 'Europe/Berlin' },
    ]);
    // As they were, they are counted from here.
    const again = await series({ recurrence: rules });
    const { following: same } = await clean(split((await instances(again.id))[4].id, { recurrence: rules }));
    expect([same.recurrence, entryOf(same, bob).email]).toEqual([rules, bob]);
  });
});
