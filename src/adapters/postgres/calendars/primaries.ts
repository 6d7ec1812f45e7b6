import { type Read, type Row, sql, type Statement } from '../database.ts';
import { checked } from '../transaction.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRecord } from '../../../calendar/calendar.ts';
import { accessOf, calendarFrom } from '../find-calendars.ts';

/** A calendar, and its place among all by the time when it was added. */
interface Candidate {
  readonly calendar: CalendarRecord;
  readonly added: number;
}

/** What somebody's primary calendar is chosen from. */
interface Choices {
  readonly owner: string;
  /** The id of the primary calendar so far. */
  readonly primary: string | undefined;
  /** By id, those of other owners too. */
  readonly calendars: ReadonlyMap<string, Candidate>;
}

/** Rows of other shards than the calendar's that a change of it is decided on. */
export interface OtherShardState {
  readonly choices: readonly Choices[];
  /** Entries on other calendars: the calendar, and the keys of the events; undefined where they are not asked for. */
  readonly entries: readonly Row[] | undefined;
}

const lockPrimary = (owner: string): Statement =>
  sql`/* lock primary */ SELECT calendar_id FROM primaries WHERE owner_key = ${owner} FOR UPDATE`;
/** Waits for those who change the calendar, on whichever node. */
const lockedCalendar = (id: string, lock: 'SHARE' | 'UPDATE'): Statement => ({
  name: `calendar for ${lock}`,
  text: `SELECT id, body, added FROM calendars WHERE id = $1 FOR ${lock}`,
  values: [id],
});

/** Retry schedule for calendars created or deleted concurrently on other shards. */
const looks = 10;
const lookMs = 20;

/**
 * Loads, inside of a transaction, what the primary calendars of some owners are chosen from, and locks the choice and the `changed`
 * calendar: others who change whose calendars there are take turns. Calendars in the order of their ids, as all who lock several do.
 */
export async function loadChoices(
  read: Read,
  owners: readonly string[],
  changed: string,
): Promise<Choices[]> {
  const primaries = await read([...owners].sort().map(lockPrimary));
  for (let look = 1; ; look += 1) {
    const named = (await read(owners.map(accessOf))).map((rows) =>
      rows.map(({ calendar_id: id }) => id as string),
    );
    const ids = [...new Set([changed, ...named.flat()])].sort();
    const rows = (
      await read(ids.map((id) => lockedCalendar(id, id === changed ? 'UPDATE' : 'SHARE')))
    ).flat();
    const calendars = new Map(rows.map((row) => [row.id as string, candidateFrom(row)]));
    if (look === looks || named.flat().every((id) => calendars.has(id))) {
      return [...owners].sort().map((owner, index) => ({
        owner,
        primary: primaries[index]?.[0]?.calendar_id as string | undefined,
        calendars,
      }));
    }
    await pause(lookMs);
  }
}

const candidateFrom = ({ body, added }: Row): Candidate => ({
  calendar: calendarFrom(body),
  added: added as number,
});

/**
 * Statements that update the owner's primary calendar after a change: the one whose id is the owner's address;
 * or the one that was so, as long as it is the owner's; or the oldest that may be so. `next` is the changed calendar, `id` its id.
 */
export function choosePrimary(
  { owner, primary, calendars }: Choices,
  id: string,
  next: CalendarRecord | undefined,
): Statement[] {
  const others = [...calendars.values()].filter(({ calendar }) => calendar.id !== id);
  const all = [...others, ...(next ? [{ calendar: next, added: calendars.get(id)?.added ?? Infinity }] : [])];
  const own = all
    .filter(({ calendar }) => addressKey(calendar.owner) === owner)
    .sort((a, b) => a.added - b.added)
    .map(({ calendar }) => calendar);
  const chosen =
    own.find((calendar) => addressKey(calendar.id) === owner) ??
    own.find((calendar) => calendar.id === primary) ??
    own.find(({ neverPrimary }) => !neverPrimary);
  return replacePrimary(owner, primary, chosen?.id);
}

/** They fail where another one is primary by now. */
function replacePrimary(owner: string, before: string | undefined, next: string | undefined): Statement[] {
  if (before === next) return [];
  if (before === undefined)
    return [sql`/* add primary */ INSERT INTO primaries (owner_key, calendar_id) VALUES (${owner}, ${next})`];
  const change =
    next === undefined
      ? sql`/* remove primary */ DELETE FROM primaries WHERE owner_key = ${owner} AND calendar_id = ${before} RETURNING 1`
      : sql`/* replace primary */ UPDATE primaries SET calendar_id = ${next}
        WHERE owner_key = ${owner} AND calendar_id = ${before} RETURNING 1`;
  return [checked(change)];
}
