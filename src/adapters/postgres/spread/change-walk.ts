import { addressKey } from '../../../core/text/email.ts';
import type { ChangeTarget } from '../../../event/event.store.ts';
import { instanceOf } from '../../../event/model/record.ts';
import type { Connection, Row, Statement } from '../database.ts';
import { recordFrom } from '../events/event-load.ts';
import { instanceKeys } from '../events/load-statement.ts';
import { indexKey, lookupKey } from '../lookup.ts';
import { mailedText, mailerKey } from '../mailed.ts';
import { findRequest } from '../request-records.ts';
import type { Loading } from '../transaction.ts';
import { rowsOf } from './found-rows.ts';
import { fetchesOf } from './home-fetches.ts';
import { lookStatement, primaryStatement, zoneStatement, type Look } from './look-statements.ts';
import {
  emptyWalk,
  keep,
  keysIn,
  partsOf,
  recordsIn,
  type Ask,
  type Asked,
  type Walked,
} from './walk-state.ts';

const mostTurns = 3;

/**
 * Loads the rows that `loadStatement` does, shard by shard: what is found on one leads to others. The statements of a step leave together; a
 * change that an organizer makes of an event of their own calendar takes one step.
 */
export const walkFor =
  (target: ChangeTarget, now: number, calendarIds: readonly string[]): Loading =>
  async (connection) => {
    const asked = askedBy(target);
    for (let turn = 1; ; turn += 1) {
      const walked = await walk(connection, asked, firstAsks(asked, now, calendarIds));
      // Between two steps an event may have been taken to another home.
      if (turn === mostTurns || [...keysIn(asked, walked)].every((key) => walked.events.has(key)))
        return rowsOf(asked, walked);
    }
  };

function askedBy(target: ChangeTarget): Asked {
  const { calendar: ref, eventId, seriesId, guests } = target;
  const [named, original] = instanceOf(eventId) ? instanceKeys(eventId) : [];
  const ids = {
    event: indexKey(eventId),
    series: seriesId === undefined ? undefined : indexKey(seriesId),
    named,
    original,
  };
  const calendarId =
    'removedId' in ref
      ? lookupKey(ref.removedId)
      : lookupKey('id' in ref ? ref.id : addressKey(ref.primaryOf));
  return { target, ids, guests: guests.map(lookupKey), calendarId };
}

async function walk({ runAll }: Connection, asked: Asked, first: readonly Ask[]): Promise<Walked> {
  const walked = emptyWalk();
  const unasked = ({ at, statement, what = statement.name }: Ask): boolean =>
    walked.asked.size < walked.asked.add(`${what} ${at}`).size;
  for (let asks = first.filter(unasked); asks.length > 0; asks = nextAsks(asked, walked).filter(unasked)) {
    const all = await runAll(asks.map(({ statement }) => statement));
    for (const [index, { at }] of asks.entries()) keep(walked, at, all[index] as readonly Row[]);
  }
  return walked;
}

const look = (one: Look): Ask => ({ at: one.calendarId, statement: lookStatement(one), what: 'look' });
const zone = (calendarId: string): Ask => ({ at: calendarId, statement: zoneStatement(calendarId) });

/** A look at the calendar that the target names. */
function lookAtTarget(
  { target: { calendar, divides, iCalUID, mailsBy }, ids }: Asked,
  calendarId: string,
  isOwner = false,
): Ask {
  const record = 'removedId' in calendar ? 'removed_calendars' : 'calendars';
  return look({
    calendarId,
    record,
    isOwner,
    ids,
    divides,
    counts: true,
    iCalUID: iCalUID === undefined ? undefined : indexKey(iCalUID),
    waits: mailsBy !== undefined,
  });
}

function firstAsks(asked: Asked, now: number, calendarIds: readonly string[]): Ask[] {
  const {
    target: { calendar, request, mailsBy },
    guests,
    calendarId,
  } = asked;
  return [
    lookAtTarget(asked, calendarId, 'primaryOf' in calendar),
    ...guests.map((guest) => ({ at: guest, statement: primaryStatement(guest) })),
    ...calendarIds.map(zone),
    ...(request ? [{ at: '', statement: findRequest(request, now) }] : []),
    ...(mailsBy === undefined ? [] : [{ at: '', statement: mailedStatement(mailsBy) }]),
  ];
}

/** What is missing by what was found. */
function nextAsks(asked: Asked, walked: Walked): Ask[] {
  const { target, ids, calendarId } = asked;
  const parts = partsOf(asked, walked);
  const primary = 'primaryOf' in target.calendar ? walked.primaries.get(calendarId) : undefined;
  const looks = [
    ...(primary !== undefined && primary !== calendarId ? [lookAtTarget(asked, primary)] : []),
    ...parts.guests
      .map((part) => look({ calendarId: part.calendarId, ids }))
      .filter(({ at }) => at !== primary),
  ].filter(({ at }) => !walked.asked.has(`look ${at}`));
  const fetches = fetchesOf(asked, walked, parts);
  const known = new Set([
    ...walked.zones.keys(),
    parts.calendarId,
    ...[...looks, ...fetches].map(({ at }) => at),
  ]);
  const copied = recordsIn(asked, walked).flatMap(({ body }) => Object.keys(recordFrom(body).copies));
  const wanted = new Set([...copied, ...parts.guests.map((part) => part.calendarId)]);
  return [...looks, ...fetches, ...[...wanted].filter((id) => !known.has(id)).map(zone)];
}

const mailedStatement = (caller: string): Statement => ({
  name: 'mailed',
  text: mailed,
  values: [mailerKey(caller)],
});
const mailed = `SELECT 'mailed' AS kind, counts AS body FROM (${mailedText('$1')}) AS c`;
