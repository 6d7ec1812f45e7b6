import { readMails } from '../../../src/adapters/postgres/events/event-mails.ts';
import { readLoaded } from '../../../src/adapters/postgres/events/event-load.ts';
import { loadStatement } from '../../../src/adapters/postgres/events/load-statement.ts';
import { walkFor } from '../../../src/adapters/postgres/spread/change-walk.ts';
import type { Database, Row } from '../../../src/adapters/postgres/database.ts';
import type { ChangeTarget } from '../../../src/event/event.store.ts';
import type { EventRecord } from '../../../src/event/model/record.ts';

interface Finding {
  readonly now: number;
  /** Calendars whose zones are asked for beside. */
  readonly others: readonly string[];
  /** All calendars that there are, and some that are not. */
  readonly everywhere: readonly string[];
}

/** What a change is decided on, as one statement finds it and as it is found shard by shard; with the kinds of rows that there were. */
export async function foundBothWays(
  database: Database,
  target: ChangeTarget,
  { now, others, everywhere }: Finding,
): Promise<{ readonly whole: object; readonly walked: object; readonly kinds: readonly string[] }> {
  const [whole, walked] = await database.use(
    async (connection): Promise<[readonly Row[], readonly Row[]]> => [
      await connection.run([loadStatement(target, now, others)]),
      await walkFor(target, now, others)(connection),
    ],
  );
  // The zones of homes where nothing was found may come, too.
  const zones = new Set(whole.flatMap(({ kind, a }) => (kind === 'zone' ? [a] : [])));
  const known = walked.filter(({ kind, a }) => kind !== 'zone' || zones.has(a));
  return {
    whole: pictureOf(whole, target, everywhere),
    walked: pictureOf(known, target, everywhere),
    kinds: [...new Set(whole.map(({ kind }) => kind as string))],
  };
}

/** What decisions see of it, in one order. */
function pictureOf(rows: readonly Row[], target: ChangeTarget, everywhere: readonly string[]): object {
  const { found, exceptionRevisions, exceptions, zones, uidKeys } = readLoaded(rows, target);
  const { zoneOf, ownerOf, ...seen } = found;
  const byKey = (records: readonly EventRecord[]): EventRecord[] =>
    [...records].sort((a, b) => (a.key < b.key ? -1 : 1));
  const records = [
    seen.event,
    seen.series,
    ...seen.sameUid,
    ...[...seen.guests.values()].map(({ holder }) => holder),
  ].flatMap((record) => (record ? [record.key] : []));
  return {
    ...seen,
    ofSeries: byKey(seen.ofSeries),
    sameUid: byKey(seen.sameUid),
    uidKeys: [...uidKeys].sort(),
    zones: everywhere.map((id) => [id, zoneOf(id), zones.get(id), ownerOf(id)]),
    revisions: records.map((key) => [key, exceptionRevisions.get(key), byKey(exceptions.get(key) ?? [])]),
    mails: readMails(rows, found, target),
  };
}
