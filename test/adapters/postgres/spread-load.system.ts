import type { ChangeTarget, EventStore } from '../../../src/event/event.store.ts';
import {
  alice,
  bob,
  carol,
  daily,
  decideOn,
  noonOn,
  put,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  sampleException,
  withCopy,
} from '../../contracts/event-samples.ts';
import { changeWith, mailsToMany } from '../../contracts/mail-samples.ts';
import { requestOf, startOfTime } from '../../contracts/samples.ts';
import { exceptOnCluster } from '../../postgres-server.ts';
import { foundBothWays } from './found-both-ways.ts';
import { sharedServer } from './stores.ts';

const second = 'second-of-bob';

/** Series and events that several calendars have, under other ids, with exceptions here and there. */
async function fill(events: EventStore): Promise<void> {
  const lunch = await put(events, withCopy(withCopy(sampleEvent('lunch'), bob, { id: 'mittag' }), second));
  const series = await put(
    events,
    withCopy(withCopy(sampleEvent('standup', { core: daily }), bob), second, { id: 'daily' }),
  );
  for (const on of [2, 3]) await put(events, sampleException(series, noonOn(on)));
  await put(
    events,
    withCopy(sampleException(series, noonOn(4), { core: { attendees: [{ email: carol }] } }), carol, {
      id: `standup_${noonOn(4)}`,
    }),
  );
  const guests = await put(
    events,
    withCopy(sampleEvent('retro', { home: carol, core: { ...daily, iCalUID: 'lunch@example.com' } }), alice),
  );
  await put(events, sampleException(guests, noonOn(2)));
  await put(events, sampleEvent('lunch', { home: carol, core: { iCalUID: 'lunch@example.com' } }));
  const single = sampleEvent('single', { home: bob });
  await decideOn(events, single, { request: requestOf('known') }, () => ({
    next: single,
    outcome: { of: 'single' },
    result: undefined,
  }));
  await changeWith(events, lunch, () => mailsToMany(3, 'mail'));
}

const calendars: readonly ChangeTarget['calendar'][] = [
  ...[alice, bob, carol, second, 'none'].map((id) => ({ id })),
  { primaryOf: 'ALICE@example.com' },
  { primaryOf: bob },
  { primaryOf: 'nobody@example.com' },
  { removedId: 'gone' },
  { removedId: alice },
];
const ids = [
  'lunch',
  'mittag',
  'standup',
  'daily',
  'retro',
  'single',
  'none',
  ...[1, 2, 4].map((on) => `standup_${noonOn(on)}`),
  `daily_${noonOn(4)}`,
  `retro_${noonOn(2)}`,
  `retro_${noonOn(3)}`,
];
const more: readonly Partial<ChangeTarget>[] = [
  {},
  { guests: [bob, carol, 'nobody@example.com'] },
  { iCalUID: 'lunch@example.com' },
  { divides: true },
  { divides: true, guests: [alice, bob] },
  { mailsBy: 'alice', guests: [carol] },
];

exceptOnCluster('one statement that asks all tables is the measure').describe('what a change finds', () => {
  const { makeEventStores, database } = sharedServer('spread');

  test('shard by shard is what one statement finds', async () => {
    const stores = await makeEventStores(() => startOfTime);
    for (const id of [alice, bob, carol])
      await putCalendar(stores.calendars, sampleCalendar(id, id === carol ? { timeZone: 'Asia/Tokyo' } : {}));
    for (const id of [second, 'gone'])
      await putCalendar(
        stores.calendars,
        sampleCalendar(id, { owner: 'berta@example.com', timeZone: 'Europe/Berlin' }),
      );
    await fill(stores.events);
    await put(stores.events, withCopy(sampleEvent('lunch', { home: 'gone' }), alice, { id: 'of-gone' }));
    await stores.calendars.changeCalendar({ calendar: { id: 'gone' } }, () => ({
      removes: true,
      result: undefined,
    }));
    const seen = new Set<string>();
    for (const calendar of calendars) {
      for (const eventId of [...ids, 'of-gone']) {
        for (const rest of more) {
          const seriesId = /^(.+)_\d{8}T/.exec(eventId)?.[1];
          const target: ChangeTarget = {
            calendar,
            eventId,
            guests: [],
            request: requestOf('known'),
            ...(seriesId !== undefined && { seriesId }),
            ...rest,
          };
          const { kinds, ...found } = await foundBothWays(database(), target, {
            now: startOfTime,
            others: [second],
            everywhere: [alice, bob, carol, second, 'gone', 'none'],
          });
          expect({ target, ...found.walked }).toEqual({ target, ...found.whole });
          for (const kind of kinds) seen.add(kind);
        }
      }
    }
    expect([...seen].sort()).toEqual([
      'calendar',
      'event',
      'exception',
      'exceptions',
      'guest',
      'here',
      'mailed',
      'request',
      'series there',
      'uid',
      'waiting',
      'zone',
    ]);
  });
});
