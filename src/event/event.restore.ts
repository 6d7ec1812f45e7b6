import type { CalendarRecord } from '../calendar/calendar.ts';
import { Report } from '../core/report.ts';
import { addressKey } from '../core/text/email.ts';
import { guestReferencesOf } from './attendees/replicas.ts';
import { attendeeKey } from './model/fields.ts';
import { complete, type ReadBody } from './event.bodies.ts';
import type { PendingChange, Decision, EventStore, ChangeState, SeriesState } from './event.store.ts';
import type { EventTools } from './event.find.ts';
import { homeReference, originalStartOf, type EventRecord } from './model/record.ts';
import { emptiedException } from './instances/follow-series.ts';
import { checkInstances } from './transfer/check-form.ts';
import { type Members, recordOf } from './transfer/form.ts';
import {
  duplicate,
  type ImportOptions,
  type ImportOutcome,
  refused,
  replaceInstanceRecord,
  replaceRecord,
  withGuests,
} from './transfer/replace.ts';
import { nextStamp } from './write/stamp.ts';
import type { Issue, Path } from '../core/errors.ts';

/** An exported event on its way into a store. */
interface Restored extends SeriesState {
  readonly issues: readonly Issue[];
}

/** Stores events as `exportEvents` gives them, each on one calendar: its series first, then what was changed of it. */
export async function restoreEvents(
  store: EventStore,
  calendar: CalendarRecord,
  bodies: readonly ReadBody[],
  tools: EventTools,
  options: ImportOptions,
): Promise<ImportOutcome[]> {
  if (bodies.length === 0) return [];
  const states = bodies.map((body) => stateOf(body, calendar, tools));
  const issues = await collisions(store, calendar, states);
  const sound = states.map((state, index) => ({
    ...state,
    issues: [...state.issues, ...(issues[index] ?? [])],
  }));
  const changes = sound.flatMap((state, index) =>
    state.issues.length === 0 ? [{ index, change: changeFor(state, calendar, tools, options) }] : [],
  );
  const stored = await store.importEvents(changes.map(({ change }) => change));
  const outcomes = sound.map((state) => refused(state.issues));
  for (const [at, { index }] of changes.entries()) outcomes[index] = stored[at] as ImportOutcome;
  if (options.replaces) await replaceInstances(store, calendar, sound, outcomes, tools);
  return outcomes;
}

function stateOf(body: ReadBody, calendar: CalendarRecord, tools: EventTools): Restored {
  const { model, clock } = tools;
  const event = complete(body, calendar, tools);
  const updated = event.updated;
  const state = recordOf(
    { ...model.split(event), id: event.id, updated },
    body.members as Members,
    calendar,
    nextStamp(clock).tag,
  );
  const report = new Report();
  checkInstances(state, model, calendar.timeZone, report);
  return { ...state, issues: report.issues };
}

/** All copies of an event and its exceptions; `index`: the event's among others. */
const copiesOf = ({ record, exceptions }: SeriesState, index: number) =>
  [record, ...exceptions].flatMap(({ copies }, at) =>
    Object.entries(copies).map(([calendarId, copy]) => {
      const path: Path = [...(at === 0 ? [] : ['instances', at - 1]), 'copies', calendarId];
      return { index, path, calendarId, copy };
    }),
  );

/** Copies on calendars that are not there, and under ids that other events have. */
async function collisions(
  store: EventStore,
  calendar: CalendarRecord,
  states: readonly SeriesState[],
): Promise<Issue[][]> {
  const copies = states.flatMap(copiesOf);
  const ids = [...new Set(copies.map(({ calendarId }) => calendarId))];
  const there = new Set(
    (await store.calendarStates(ids.map((id) => ({ id })))).flatMap((found) =>
      found ? [found.calendar.id] : [],
    ),
  );
  const others = copies.filter(({ calendarId }) => calendarId !== calendar.id && there.has(calendarId));
  const homes = states.map(({ record }) => homeReference(record));
  const known = await store.events([
    ...homes,
    ...others.map(({ calendarId, copy }) => ({ calendarId, eventId: copy.id })),
  ]);
  const issues: Issue[][] = states.map(() => []);
  for (const { index, path, calendarId } of copies) {
    if (!there.has(calendarId))
      issues[index]?.push({ path, reason: 'notFound', message: 'There is no such calendar.' });
  }
  const claimed = new Map<string, number>();
  for (const [at, { index, path, calendarId, copy }] of others.entries()) {
    const holder = known[homes.length + at];
    const own = known[index]?.record;
    const isOwn = own !== undefined && (holder?.record.key === own.key || holder?.series?.key === own.key);
    const name = JSON.stringify([calendarId, copy.id]);
    const isTaken = (holder && !isOwn) || (claimed.get(name) ?? index) !== index;
    claimed.set(name, index);
    if (isTaken)
      issues[index]?.push({
        path: [...path, 'id'],
        reason: 'duplicate',
        message: 'The calendar has another event with this id.',
      });
  }
  return issues;
}

function changeFor(
  state: SeriesState,
  calendar: CalendarRecord,
  tools: EventTools,
  options: ImportOptions,
): PendingChange<ImportOutcome> {
  const { core } = state.record;
  const guests = [...(core.attendees ?? []), ...(core.organizer ? [core.organizer] : [])].flatMap(
    (entry) => attendeeKey(entry) ?? [],
  );
  return {
    target: {
      calendar: { id: calendar.id },
      eventId: homeReference(state.record).eventId,
      guests: [...new Set(guests)],
    },
    decide: (found) => decide(state, calendar, found, tools, options),
  };
}

function decide(
  { record, exceptions }: SeriesState,
  calendar: CalendarRecord,
  found: ChangeState,
  { clock }: EventTools,
  { replaces, calendars }: ImportOptions,
): Decision<ImportOutcome> {
  const { event: current } = found;
  // Guests with calendars that the file does not have get a copy as those do whom somebody invites, unless they have the event by
  // themselves, from a file of their own.
  const hasOwn = (holder: EventRecord | undefined): boolean =>
    holder !== undefined && !holder.core.privateCopy && holder.core.iCalUID === record.core.iCalUID;
  const strangers = new Map(
    [...found.guests].filter(
      ([, { calendarId, holder }]) =>
        !record.copies[calendarId] && !calendars?.has(calendarId) && !hasOwn(holder),
    ),
  );
  const references = guestReferencesOf(
    strangers,
    homeReference(record).eventId,
    (holder) => holder.key !== current?.key,
  );
  if (!current) {
    const fresh = nextStamp(clock, record);
    const added = withGuests(record, record, references, fresh);
    const isDated = record.coreStamp.tag !== '';
    return {
      added: { record: isDated ? added : { ...added, coreStamp: fresh, openStamp: fresh }, exceptions },
      result: { state: 'added', issues: [] },
    };
  }
  const follow = (given: EventRecord): EventRecord =>
    withGuests(current, given, references, nextStamp(clock, current));
  const next = replaces ? replacement(current, found, record, calendar, follow, clock) : undefined;
  if (!next) return { result: refused([duplicate]) };
  return { next, result: { state: next === current ? 'unchanged' : 'changed', issues: [] } };
}

/** What becomes of the event that is there; undefined where it is another one. */
function replacement(
  current: EventRecord,
  { series }: Pick<ChangeState, 'series'>,
  record: EventRecord,
  { id, owner }: CalendarRecord,
  follow: (given: EventRecord) => EventRecord,
  clock: EventTools['clock'],
): EventRecord | undefined {
  if (current.homeId === id)
    return current.instance ? undefined : replaceRecord(current, follow(record), clock);
  // Of an event of another calendar a guest's file has that guest's own part.
  const copy = record.copies[id];
  const iCalUID = (current.instance ? series : current)?.core.iCalUID;
  if (!copy || current.core.privateCopy || iCalUID !== record.core.iCalUID) return undefined;
  // That an instance stands alone there is not the guest's to say.
  const apart = current.copies[id]?.apart;
  const own = { ...copy, guest: addressKey(owner), ...(apart && { apart }) };
  return replaceRecord(current, { ...current, copies: { [id]: own } }, clock);
}

/** Replaces what was changed of series that were there: what a file does not have of it is as its series again. */
async function replaceInstances(
  store: EventStore,
  calendar: CalendarRecord,
  states: readonly Restored[],
  outcomes: ImportOutcome[],
  { clock }: EventTools,
): Promise<void> {
  const there = outcomes.flatMap(({ state }, index) =>
    state === 'changed' || state === 'unchanged' ? [index] : [],
  );
  const found = await store.events(there.map((index) => homeReference((states[index] as Restored).record)));
  const series = there.flatMap((index, at) =>
    found[at]?.record.homeId === calendar.id ? [{ index, record: found[at].record }] : [],
  );
  const stored = await store.exceptionsOf(series.map(({ record }) => record));
  for (const [at, { index }] of series.entries()) {
    const current = stored[at] as SeriesState;
    const given = new Map((states[index] as Restored).exceptions.map((one) => [originalStartOf(one), one]));
    const originals = new Set([...given.keys(), ...current.exceptions.map(originalStartOf)]);
    for (const original of originals) {
      const isChanged = await replaceInstance(store, current.record, original, given.get(original), clock);
      if (isChanged) outcomes[index] = { state: 'changed', issues: [] };
    }
  }
}

async function replaceInstance(
  store: EventStore,
  record: EventRecord,
  original: string,
  given: EventRecord | undefined,
  clock: EventTools['clock'],
): Promise<boolean> {
  const { calendarId: id, eventId: seriesId } = homeReference(record);
  return store.changeEvent(
    { calendar: { id }, eventId: `${seriesId}_${original}`, seriesId, guests: [] },
    ({ event, series }) => {
      const current = event?.instance ? event : undefined;
      if (!series || (event && !current)) return { result: false };
      if (!current) return given ? { next: given, result: true } : { result: false };
      const next = given
        ? replaceInstanceRecord(series, current, given, clock)
        : emptiedException(current, series);
      return { next, result: next !== current };
    },
  );
}
