import type { CalendarRecord } from '../calendar/calendar.ts';
import { Report } from '../core/report.ts';
import { addressKey } from '../core/text/email.ts';
import { guestReferencesOf } from './attendees/replicas.ts';
import { attendeeKey } from './model/fields.ts';
import { completeBody, type ReadBody } from './event.bodies.ts';
import type { PendingChange, Decision, EventStore, ChangeState, SeriesState } from './event.store.ts';
import type { EventTools } from './event.find.ts';
import { homeReference, originalStartOf, type EventRecord } from './model/record.ts';
import { resetException } from './instances/follow-series.ts';
import { checkInstances } from './transfer/check-form.ts';
import { type ExportMembers, recordFromForm } from './transfer/form.ts';
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

interface RestoreItem extends SeriesState {
  readonly issues: readonly Issue[];
}

/** Restores events from `exportEvents` on one calendar: events first, then exceptions of replaced series. */
export async function restoreEvents(
  store: EventStore,
  calendar: CalendarRecord,
  bodies: readonly ReadBody[],
  tools: EventTools,
  options: ImportOptions,
): Promise<ImportOutcome[]> {
  if (bodies.length === 0) return [];
  const states = bodies.map((body) => stateOf(body, calendar, tools));
  const issues = await findConflicts(store, calendar, states);
  const checked = states.map((state, index) => ({
    ...state,
    issues: [...state.issues, ...(issues[index] ?? [])],
  }));
  const changes = checked.flatMap((state, index) =>
    state.issues.length === 0 ? [{ index, change: changeFor(state, calendar, tools, options) }] : [],
  );
  const stored = await store.importEvents(changes.map(({ change }) => change));
  const outcomes = checked.map((state) => refused(state.issues));
  for (const [at, { index }] of changes.entries()) outcomes[index] = stored[at] as ImportOutcome;
  if (options.replaces) await replaceInstances(store, calendar, checked, outcomes, tools);
  return outcomes;
}

function stateOf(body: ReadBody, calendar: CalendarRecord, tools: EventTools): RestoreItem {
  const { model, clock } = tools;
  const event = completeBody(body, calendar, tools);
  const updated = event.updated;
  const state = recordFromForm(
    { ...model.split(event), id: event.id, updated },
    body.members as ExportMembers,
    calendar,
    nextStamp(clock).tag,
  );
  const report = new Report();
  checkInstances(state, model, calendar.timeZone, report);
  return { ...state, issues: report.issues };
}

/** Copies of an event and its exceptions with their paths; `index`: that of the event in the file. */
const copiesOf = ({ record, exceptions }: SeriesState, index: number) =>
  [record, ...exceptions].flatMap(({ copies }, position) =>
    Object.entries(copies).map(([calendarId, copy]) => {
      const path: Path = [...(position === 0 ? [] : ['instances', position - 1]), 'copies', calendarId];
      return { index, path, calendarId, copy };
    }),
  );

/** Finds copies on calendars that do not exist or with ids that other events have; issues by event. */
async function findConflicts(
  store: EventStore,
  calendar: CalendarRecord,
  states: readonly SeriesState[],
): Promise<Issue[][]> {
  const copies = states.flatMap(copiesOf);
  const ids = [...new Set(copies.map(({ calendarId }) => calendarId))];
  const existing = new Set(
    (await store.calendarStates(ids.map((id) => ({ id })))).flatMap((state) =>
      state ? [state.calendar.id] : [],
    ),
  );
  const others = copies.filter(({ calendarId }) => calendarId !== calendar.id && existing.has(calendarId));
  const homes = states.map(({ record }) => homeReference(record));
  const known = await store.events([
    ...homes,
    ...others.map(({ calendarId, copy }) => ({ calendarId, eventId: copy.id })),
  ]);
  const issues: Issue[][] = states.map(() => []);
  for (const { index, path, calendarId } of copies) {
    if (!existing.has(calendarId))
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
    decide: (loaded) => decide(state, calendar, loaded, tools, options),
  };
}

function decide(
  { record, exceptions }: SeriesState,
  calendar: CalendarRecord,
  loaded: ChangeState,
  { clock }: EventTools,
  { replaces, calendars }: ImportOptions,
): Decision<ImportOutcome> {
  const { event: current } = loaded;
  // Guests whose calendars are not in the file get a copy like invited guests, unless their own file brought the event.
  const hasOwn = (holder: EventRecord | undefined): boolean =>
    holder !== undefined && !holder.core.privateCopy && holder.core.iCalUID === record.core.iCalUID;
  const guestsWithoutCopy = new Map(
    [...loaded.guests].filter(
      ([, { calendarId, holder }]) =>
        !record.copies[calendarId] && !calendars?.has(calendarId) && !hasOwn(holder),
    ),
  );
  const references = guestReferencesOf(
    guestsWithoutCopy,
    homeReference(record).eventId,
    (holder) => holder.key !== current?.key,
  );
  if (!current) {
    const stamp = nextStamp(clock, record);
    const added = withGuests(record, record, references, stamp);
    const hasStamp = record.coreStamp.tag !== '';
    return {
      added: { record: hasStamp ? added : { ...added, coreStamp: stamp, openStamp: stamp }, exceptions },
      result: { state: 'added', issues: [] },
    };
  }
  const follow = (given: EventRecord): EventRecord =>
    withGuests(current, given, references, nextStamp(clock, current));
  const next = replaces ? replacement(current, loaded, record, calendar, follow, clock) : undefined;
  if (!next) return { result: refused([duplicate]) };
  return { next, result: { state: next === current ? 'unchanged' : 'changed', issues: [] } };
}

/** Replaces the stored event by the imported one; undefined if the stored event is a different one. */
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
  // A guest's file restores only that guest's copy of an event of another calendar.
  const copy = record.copies[id];
  const iCalUID = (current.instance ? series : current)?.core.iCalUID;
  if (!copy || current.core.privateCopy || iCalUID !== record.core.iCalUID) return undefined;
  // Only the organizer's calendar determines whether an instance is detached.
  const apart = current.copies[id]?.apart;
  const own = { ...copy, guest: addressKey(owner), ...(apart && { apart }) };
  return replaceRecord(current, { ...current, copies: { [id]: own } }, clock);
}

/** Replaces the exceptions of series that existed: exceptions missing from the file are reset. */
async function replaceInstances(
  store: EventStore,
  calendar: CalendarRecord,
  states: readonly RestoreItem[],
  outcomes: ImportOutcome[],
  { clock }: EventTools,
): Promise<void> {
  const replaced = outcomes.flatMap(({ state }, index) =>
    state === 'changed' || state === 'unchanged' ? [index] : [],
  );
  const events = await store.events(
    replaced.map((index) => homeReference((states[index] as RestoreItem).record)),
  );
  const series = replaced.flatMap((index, position) =>
    events[position]?.record.homeId === calendar.id ? [{ index, record: events[position].record }] : [],
  );
  const stored = await store.exceptionsOf(series.map(({ record }) => record));
  for (const [at, { index }] of series.entries()) {
    const current = stored[at] as SeriesState;
    const given = new Map(
      (states[index] as RestoreItem).exceptions.map((given) => [originalStartOf(given), given]),
    );
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
        : resetException(current, series);
      return { next, result: next !== current };
    },
  );
}
