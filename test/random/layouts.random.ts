import pg from 'pg';
import { openDatabase, type DatabasePool } from '../../src/adapters/postgres/database.ts';
import type { ChangeTarget } from '../../src/event/event.store.ts';
import { instanceOf } from '../../src/event/model/record.ts';
import { foundBothWays } from '../adapters/postgres/found-both-ways.ts';
import { silentLog } from '../log-lines.ts';
import { describeWithPostgres } from '../postgres-server.ts';
import { calendarWrites } from './calendar-writes.ts';
import { callers, hosts } from './cast.ts';
import { writes } from './event-writes.ts';
import { timeOf } from './operation.ts';
import { Operations } from './operations.ts';
import { historyLength, Random, seeds } from './seed.ts';
import { postgresWorld, usePostgres } from './worlds.ts';

const steps = historyLength(80, 250);
const targets = historyLength(120, 400);
const moves = 8;

/** What stands in a database, to make up targets from. */
interface Standing {
  readonly calendars: readonly string[];
  readonly removed: readonly string[];
  readonly places: readonly {
    readonly calendar_id: string;
    readonly event_id: string;
    readonly ical_uid: string | null;
  }[];
  /** Original starts of exceptions, on all calendars on which their series stand. */
  readonly instances: readonly { readonly calendar_id: string; readonly event_id: string }[];
}

/** Some events are taken to other homes, as imports do, also to calendars on which they do not stand; then tells what there is. */
async function standingIn(url: string, random: Random): Promise<Standing> {
  const client = new pg.Client(url);
  await client.connect();
  const rows = async <R extends pg.QueryResultRow>(text: string): Promise<R[]> =>
    (await client.query<R>(text)).rows;
  try {
    const calendars = (await rows<{ id: string }>('SELECT id FROM calendars ORDER BY added')).map(
      ({ id }) => id,
    );
    const events = await rows<{ key: string }>(
      "SELECT key FROM events WHERE series_key IS NULL ORDER BY body #>> '{coreStamp,at}', home_id, body -> 'core'",
    );
    for (let count = 0; count < moves; count += 1) {
      const values = [random.pick(events).key, random.pick(calendars)];
      for (const table of ['events', 'places'])
        await client.query(`UPDATE ${table} SET home_id = $2 WHERE key = $1 OR series_key = $1`, values);
    }
    return {
      calendars,
      removed: (await rows<{ id: string }>('SELECT id FROM removed_calendars')).map(({ id }) => id),
      places: await rows(
        'SELECT calendar_id, event_id, ical_uid FROM places ORDER BY calendar_id, position, event_id',
      ),
      instances: await rows(
        `SELECT s.calendar_id, s.event_id || '_' || x.original AS event_id FROM places s JOIN events x ON x.home_id = s.home_id AND x.series_key = s.key ORDER BY x.key, s.calendar_id`,
      ),
    };
  } finally {
    await client.end();
  }
}

/** A target as services make them, or one that names what stands elsewhere, or nowhere. */
function anyTarget(random: Random, { calendars, removed, places, instances }: Standing): ChangeTarget {
  const { calendar_id: calendarId, event_id: eventId } = random.pick(
    random.chance(0.5) && instances.length > 0 ? instances : places,
  );
  const id = random.chance(0.8) ? calendarId : random.pick([...calendars, ...removed, 'none']);
  const spoken = instanceOf(eventId)?.seriesId;
  const seriesId = random.chance(0.9) ? spoken : random.pick(places).event_id;
  const uids = places.flatMap((place) =>
    place.calendar_id === id && place.ical_uid !== null ? [place.ical_uid] : [],
  );
  return {
    calendar: random.weighted<ChangeTarget['calendar']>([
      [8, { id }],
      [2, { primaryOf: random.chance(0.5) ? id : random.pick([...hosts, ...callers]) }],
      [1, { removedId: random.pick([id, ...removed]) }],
    ]),
    eventId: random.chance(0.9) ? eventId : `${random.pick(places).event_id}_20261204T090000Z`,
    guests: random.chance(0.5)
      ? []
      : random.some([...hosts, 'guest@elsewhere.example', 'nobody@elsewhere.example'], 4),
    ...(seriesId !== undefined && { seriesId, ...(random.chance(0.3) && { divides: true }) }),
    ...(random.chance(0.3) && uids.length > 0 && { iCalUID: random.pick(uids) }),
  };
}

// On a cluster the one statement goes nowhere.
(process.env.CITUS_URL === undefined ? describe : describe.skip)('what a change finds', () =>
  describeWithPostgres('after random operations', () => {
    const { fresh } = usePostgres();
    let database: DatabasePool | undefined;
    afterEach(() => database?.close());

    test.each(seeds)('shard by shard is what one statement finds (seed %i)', async (seed) => {
      const [url, random, operations] = [await fresh(), new Random(seed), new Operations(seed)];
      const world = await postgresWorld(url);
      while (operations.known.step <= steps)
        await world.send(operations.next([...writes, ...calendarWrites]));
      await world.settled();
      await world.close();
      const standing = await standingIn(url, random);
      database = openDatabase(url, silentLog);
      const everywhere = [...standing.calendars, ...standing.removed, 'none'];
      const kinds = new Set<string>();
      for (let count = 0; count < targets; count += 1) {
        const target = anyTarget(random, standing);
        const found = await foundBothWays(database, target, {
          now: timeOf(steps),
          others: random.some(everywhere, 2),
          everywhere,
        });
        expect({ target, ...found.walked }).toEqual({ target, ...found.whole });
        for (const kind of found.kinds) kinds.add(kind);
      }
      expect([...kinds]).toEqual(
        expect.arrayContaining([
          'calendar',
          'event',
          'exception',
          'exceptions',
          'guest',
          'here',
          'series there',
          'uid',
          'zone',
        ]),
      );
    });
  }),
);
