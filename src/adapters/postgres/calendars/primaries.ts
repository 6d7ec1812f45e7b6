import { type Read, type Row, sql, type Statement } from '../database.ts';
import { withRowCountCheck } from '../transaction.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRecord } from '../../../calendar/calendar.ts';
import { findAccess, parseCalendar } from '../find-calendars.ts';

/** A calendar, and the microsecond at which it was added. */
interface PrimaryCandidate {
  readonly calendar: CalendarRecord;
  readonly added: number;
}

interface PrimaryChoices {
  readonly owner: string;
  readonly primary: string | undefined;
  /** Calendars by id, including those of other owners. */
  readonly calendars: ReadonlyMap<string, PrimaryCandidate>;
}

/** Rows of other shards that a calendar's change depends on. */
export interface OtherShardState {
  readonly choices: readonly PrimaryChoices[];
  /** Calendars with keys of events that a deleted calendar left there; undefined unless loaded. */
  readonly entries: readonly Row[] | undefined;
}

const lockPrimary = (owner: string): Statement =>
  sql`/* lock primary */ SELECT calendar_id FROM primaries WHERE owner_key = ${owner} FOR UPDATE`;
const lockCalendar = (id: string, lock: 'SHARE' | 'UPDATE'): Statement => ({
  name: `calendar for ${lock}`,
  text: `SELECT id, body, added FROM calendars WHERE id = $1 FOR ${lock}`,
  values: [id],
});

/** Retry schedule for calendars created or deleted concurrently on other shards. */
const maxAttempts = 10;
const retryDelayMs = 20;

/** Loads and locks, inside of a transaction, the candidates for owners' primary calendars, in the order of their ids. */
export async function loadChoices(
  read: Read,
  owners: readonly string[],
  changedId: string,
): Promise<PrimaryChoices[]> {
  const lockedPrimaries = await read([...owners].sort().map(lockPrimary));
  for (let attempt = 1; ; attempt += 1) {
    const accessIds = (await read(owners.map(findAccess))).map((rows) =>
      rows.map(({ calendar_id: id }) => id as string),
    );
    const ids = [...new Set([changedId, ...accessIds.flat()])].sort();
    const rows = (
      await read(ids.map((id) => lockCalendar(id, id === changedId ? 'UPDATE' : 'SHARE')))
    ).flat();
    const calendars = new Map(rows.map((row) => [row.id as string, toCandidate(row)]));
    if (attempt === maxAttempts || accessIds.flat().every((id) => calendars.has(id))) {
      return [...owners].sort().map((owner, index) => ({
        owner,
        primary: lockedPrimaries[index]?.[0]?.calendar_id as string | undefined,
        calendars,
      }));
    }
    await pause(retryDelayMs);
  }
}

const toCandidate = ({ body, added }: Row): PrimaryCandidate => ({
  calendar: parseCalendar(body),
  added: added as number,
});

/** Makes a calendar primary after a change of `id` to `next`: the one named by the owner's address, else the current, else the oldest eligible one. */
export function updatePrimary(
  { owner, primary, calendars }: PrimaryChoices,
  id: string,
  next: CalendarRecord | undefined,
): Statement[] {
  const otherCalendars = [...calendars.values()].filter(({ calendar }) => calendar.id !== id);
  const candidates = [
    ...otherCalendars,
    ...(next ? [{ calendar: next, added: calendars.get(id)?.added ?? Infinity }] : []),
  ];
  const ownedCalendars = candidates
    .filter(({ calendar }) => addressKey(calendar.owner) === owner)
    .sort((a, b) => a.added - b.added)
    .map(({ calendar }) => calendar);
  const newPrimary =
    ownedCalendars.find((calendar) => addressKey(calendar.id) === owner) ??
    ownedCalendars.find((calendar) => calendar.id === primary) ??
    ownedCalendars.find(({ neverPrimary }) => !neverPrimary);
  return replacePrimary(owner, primary, newPrimary?.id);
}

/** Statements that fail unless the primary calendar is still `oldId`. */
function replacePrimary(owner: string, oldId: string | undefined, newId: string | undefined): Statement[] {
  if (oldId === newId) return [];
  if (oldId === undefined)
    return [
      sql`/* add primary */ INSERT INTO primaries (owner_key, calendar_id) VALUES (${owner}, ${newId})`,
    ];
  const replacement =
    newId === undefined
      ? sql`/* remove primary */ DELETE FROM primaries WHERE owner_key = ${owner} AND calendar_id = ${oldId} RETURNING 1`
      : sql`/* replace primary */ UPDATE primaries SET calendar_id = ${newId}
        WHERE owner_key = ${owner} AND calendar_id = ${oldId} RETURNING 1`;
  return [withRowCountCheck(replacement)];
}
