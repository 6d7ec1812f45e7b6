import type { Viewer } from '../access/permissions.ts';
import { resolveCalendarRef, openCalendar } from '../calendar/calendar.access.ts';
import type { ReadCalendar, CalendarRecord, CalendarRef } from '../calendar/calendar.store.ts';
import { requireValid } from '../core/errors.ts';
import { groupByKey } from '../core/json.ts';
import { eventLoop, mapInTurns } from '../core/runtime/event-loop.ts';
import type { RequestKey } from '../core/runtime/request-loader.ts';
import { newId } from '../core/ids.ts';
import { toOriginalStart } from '../recurrence/original-start.ts';
import {
  type createImportDecider,
  changesTooOftenError,
  eventIdOn,
  type ImportTarget,
  filterStandaloneInstances,
  importToTarget,
  createNewTarget,
  pickTarget,
} from './event.import.ts';
import { guestKeysOf, type ImportCalendarArgs } from './event.requests.ts';
import type { ChangeState, Decision, EventStore } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import type { WriteResult } from './event.writes.ts';
import { exceptionsAfterSeriesChange } from './instances/exceptions-after.ts';
import { followSeries } from './instances/follow-series.ts';
import {
  type EventRecord,
  hasOwnChanges,
  type InstancePart,
  originalStartOf as originalOf,
  nextStamp,
} from './model/record.ts';
import {
  calendarTextIssues,
  readZoneDefinitions,
  parseCalendarText,
  unreadPropertyWarnings,
  splitGroup,
  type UidGroup,
} from './transfer/calendar-text.ts';
import type { FileZones } from './transfer/vevent-times.ts';
import {
  type CalendarImportView,
  type ComponentResult,
  refusalOf,
  refusedResult,
  assertNoIssues,
  resultOf,
  summaryOf,
} from './transfer/import-results.ts';
import { type ImportedComponent, readComponent } from './transfer/vevent.ts';
import { eventContextOf } from './visibility/event-context.ts';
import { viewOf } from './visibility/event-view.ts';

// The generated types of resolvers may import from the files of a resource, not from its folders.
export type { CalendarImportView } from './transfer/import-results.ts';

/** Limit of the time that the import of a text may take. */
export const maxImportMs = 60_000;

/** Change that stores a group, computed on a loaded state before it is stored. */
interface GroupPlan {
  readonly change: Pick<Decision<unknown>, 'next' | 'exceptions' | 'added' | 'replaced'>;
  readonly results: readonly ComponentResult[];
}

interface CalendarImportDependencies {
  readonly store: EventStore;
  readonly readCalendar: ReadCalendar;
  readonly tools: EventTools;
  readonly decideImport: ReturnType<typeof createImportDecider>;
}

/** Limits of one import. Exceeding one ends the import with an error. */
export interface ImportLimits {
  /** Charges the number of components of a text. May throw. */
  readonly charge: (components: number) => void;
  /** Throws after the client went away or its time was over, which ends the import between two UIDs. */
  readonly throwIfGone: () => void;
}

interface ImportCall extends Pick<CalendarImportDependencies, 'store' | 'tools'> {
  readonly viewer: Viewer;
  readonly ref: CalendarRef;
  readonly calendar: CalendarRecord;
  readonly args: ImportCalendarArgs;
  /** Decides the import of a component on a loaded state. */
  readonly decide: (
    component: ImportedComponent,
    target: ImportTarget,
    state: ChangeState,
  ) => ReturnType<CalendarImportDependencies['decideImport']>;
  readonly takeTurn: () => Promise<void>;
}

/**
 * Creates `importCalendar`. It imports each UID in a step of its own: a refused UID does not affect the
 * others, and other requests run between the steps.
 */
export function createCalendarImports({
  store,
  readCalendar,
  tools,
  decideImport,
}: CalendarImportDependencies) {
  return async function importCalendar(
    viewer: Viewer,
    args: ImportCalendarArgs,
    request: RequestKey,
    { charge, throwIfGone }: ImportLimits,
  ): Promise<CalendarImportView> {
    const ref = resolveCalendarRef(args.calendarId, viewer);
    const { calendar } = openCalendar(await readCalendar(request, ref), ref, viewer, 'writer');
    requireValid(calendarTextIssues(args));
    const { components, floatingZone } = await parseCalendarText(args.icalendar);
    charge(components.length);
    const zones: FileZones = {
      floatingZone: floatingZone ?? calendar.timeZone,
      calendarZone: calendar.timeZone,
      definitions: await readZoneDefinitions(components, throwIfGone),
    };
    const importedComponents = await mapInTurns(
      [...components.entries()].filter(([, { name }]) => name === 'VEVENT'),
      ([index, component]) => {
        throwIfGone();
        return readComponent(component, index, zones);
      },
    );
    /** Lets other requests run; a store in memory answers within the same iteration. */
    const takeTurn = async (): Promise<void> => {
      await eventLoop.enter();
      throwIfGone();
    };
    const decide: ImportCall['decide'] = ({ body: event }, target, state) =>
      decideImport(viewer, ref, { calendarId: args.calendarId, event }, target, undefined, state);
    const call = { store, tools, viewer, ref, calendar, args, decide, takeTurn };
    const results: ComponentResult[] = [];
    // A component without UID is a group of its own.
    for (const group of groupByKey(importedComponents, ({ body, index }) =>
      JSON.stringify(body.iCalUID ?? index),
    ).values()) {
      await takeTurn();
      results.push(...(await importGroup(splitGroup(group), call)));
    }
    return summaryOf(results, unreadPropertyWarnings(components));
  };
}

/** Imports the components of a UID as one step. */
async function importGroup(group: UidGroup, call: ImportCall): Promise<readonly ComponentResult[]> {
  const { store, ref, calendar, args, tools } = call;
  const { mainComponent, instances, refusedResults } = group;
  const components = [...(mainComponent ? [mainComponent] : []), ...instances.values()];
  const [firstComponent] = components;
  if (!firstComponent) return refusedResults;
  const guests = components.flatMap(({ body }) => guestKeysOf(body, tools.model));
  const [firstOriginal] = instances.keys();
  const results = await importToTarget(
    ref,
    firstComponent.body.iCalUID,
    guests,
    undefined,
    async (changeTarget, target) => {
      const loaded = await store.changeEvent(changeTarget, (state) => ({ result: state }));
      if (!mainComponent && !loaded.event) {
        const series = pickTarget(loaded.eventsWithUid, calendar.id, firstOriginal);
        if (series?.seriesId !== undefined)
          return { target: { storedRecord: series.storedRecord, eventId: series.seriesId } };
      }
      const plan =
        mainComponent || loaded.event
          ? await planGroup(group, target, loaded, call)
          : await planStandaloneInstances(group, loaded, call);
      if ('target' in plan) return plan;
      const isDone =
        plan.change.next === undefined ||
        args.validateOnly ||
        (await store.changeEvent(changeTarget, (state) =>
          versionsOf(state) === versionsOf(loaded) ? { ...plan.change, result: true } : { result: false },
        ));
      return isDone ? plan.results : { target };
    },
  );
  const { message } = changesTooOftenError();
  return [
    ...refusedResults,
    ...(results ?? components.map((component) => refusedResult(component, 'UID', 'backendError', message))),
  ];
}

/** Fingerprint of what a plan depends on: it differs if a record has changed. Stores return records in any order. */
function versionsOf({ calendar, event, seriesExceptions, eventsWithUid, guests }: ChangeState): string {
  const guestRecords = [...guests.values()].flatMap(({ holder, imported, importedInstances = [] }) => [
    holder,
    imported,
    ...importedInstances,
  ]);
  const versions = [event, ...seriesExceptions, ...eventsWithUid, ...guestRecords].map(
    (record) => record && `${record.key} ${record.version}`,
  );
  const guestCalendars = [...guests].map(([guest, { calendarId }]) => [guest, calendarId]);
  return JSON.stringify([calendar, guestCalendars, versions.sort()]);
}

/** Decides the import of a component on a loaded state. No decision if the component is refused; another target, if it is needed. */
function decideComponent(
  component: ImportedComponent,
  target: ImportTarget,
  state: ChangeState,
  { decide }: ImportCall,
):
  | { readonly decision?: Decision<WriteResult>; readonly result: ComponentResult }
  | { readonly target: ImportTarget } {
  const wasStored = state.event !== undefined && hasOwnChanges(state.event);
  try {
    const { result, ...change } = decide(component, target, state);
    if ('target' in result) return result;
    assertNoIssues(component);
    return { decision: { ...change, result }, result: resultOf(component, wasStored, result) };
  } catch (error) {
    return { result: refusalOf(component, error) };
  }
}

/** Plans instances whose series neither the text nor the calendar has: each is an event of its own. */
async function planStandaloneInstances(
  { instances }: UidGroup,
  loaded: ChangeState,
  call: ImportCall,
): Promise<GroupPlan | { readonly target: ImportTarget }> {
  const { calendar, takeTurn } = call;
  const targets = new Map(
    filterStandaloneInstances(loaded.eventsWithUid, calendar.id).map((storedRecord) => [
      toOriginalStart(storedRecord.core.originalStartTime),
      { storedRecord, eventId: eventIdOn(calendar.id, storedRecord) },
    ]),
  );
  const [firstTarget] = targets.values();
  const seriesId = firstTarget?.storedRecord.core.recurringEventId ?? newId();
  const results: ComponentResult[] = [];
  const changedRecords: EventRecord[] = [];
  const addedRecords: EventRecord[] = [];
  for (const [original, component] of instances) {
    await takeTurn();
    const target = targets.get(original) ?? createNewTarget(original, seriesId);
    const state = { ...loaded, event: target.storedRecord, eventsWithUid: [] };
    const decided = decideComponent(component, target, state, call);
    if ('target' in decided) return decided;
    results.push(decided.result);
    const next = decided.decision?.next;
    if (next) (target.storedRecord ? changedRecords : addedRecords).push(next);
  }
  const [next, ...replaced] = changedRecords;
  const additions = addedRecords.map((record) => ({ record, exceptions: [] }));
  return {
    change: next
      ? { next, replaced, added: additions }
      : { next: additions[0]?.record, added: additions.slice(1) },
    results,
  };
}

/**
 * Computes the change of a group on a loaded state, one component after the other. Returns another target if
 * the group concerns an event that is not loaded.
 */
async function planGroup(
  { mainComponent, instances }: UidGroup,
  target: ImportTarget,
  loaded: ChangeState,
  call: ImportCall,
): Promise<GroupPlan | { readonly target: ImportTarget }> {
  const { viewer, calendar, tools, takeTurn } = call;
  const before = loaded.event;
  const results: ComponentResult[] = [];
  let mainDecision: Partial<Decision<WriteResult>> = {};
  if (mainComponent) {
    const decided = decideComponent(mainComponent, target, loaded, call);
    if ('target' in decided) return decided;
    results.push(decided.result);
    if (!decided.decision) {
      const refusals = [...instances.values()].map((component) =>
        refusedResult(component, 'RECURRENCE-ID', 'invalid', seriesRefusedMessage, component.report.issues),
      );
      return { change: {}, results: [...results, ...refusals] };
    }
    mainDecision = decided.decision;
  }
  const { replaced = [] } = mainDecision;
  // Without a main component, the series is the loaded event.
  const series = (mainDecision.next ?? before) as EventRecord;
  const id = eventIdOn(calendar.id, series);
  const mapByOriginal = (exceptions: readonly EventRecord[]) =>
    new Map(exceptions.map((exception) => [originalOf(exception), exception]));
  const exceptions = mapByOriginal(
    exceptionsAfterSeriesChange(loaded.seriesExceptions, series, before).map(({ next }) => next),
  );
  const changedExceptions = mapByOriginal(mainDecision.exceptions ?? []);
  let exceptionCount = [...new Map([...exceptions, ...changedExceptions]).values()].filter(
    hasOwnChanges,
  ).length;
  for (const [original, component] of instances) {
    await takeTurn();
    const event = changedExceptions.get(original) ?? exceptions.get(original);
    const state = {
      ...loaded,
      ...{ series, event, exceptionCount, seriesExceptions: [], eventsWithUid: [] },
    };
    const instanceTarget = { storedRecord: series, eventId: `${id}_${original}`, seriesId: id };
    const decided = decideComponent(component, instanceTarget, state, call);
    if ('target' in decided) return decided;
    results.push(decided.result);
    const changedException = decided.decision?.next;
    if (!changedException) continue;
    changedExceptions.set(original, changedException);
    exceptionCount +=
      Number(hasOwnChanges(changedException)) - Number(event !== undefined && hasOwnChanges(event));
  }
  const missingInstances = mainComponent
    ? [...exceptions].filter(([original, exception]) => !instances.has(original) && wasImported(exception))
    : [];
  if (missingInstances.length === 0 && changedExceptions.size === 0)
    return { change: { next: mainDecision.next, replaced }, results };
  // A new version of the series stores the exceptions. Readers see a new stamp only if instances are reset.
  const stamp = series === before && missingInstances.length > 0 ? nextStamp(tools.clock, series) : undefined;
  const next =
    series === before
      ? { ...series, version: series.version + 1, ...(stamp && { coreStamp: stamp, openStamp: stamp }) }
      : series;
  for (const [original, exception] of missingInstances)
    changedExceptions.set(
      original,
      followSeries(exception, next, before, () => false),
    );
  if (stamp && mainDecision.result)
    results[0] = {
      ...(results[0] as ComponentResult),
      outcome: 'updated',
      event: viewOf(eventContextOf(next, { ...mainDecision.result.context, viewer })),
    };
  return { change: { next, exceptions: [...changedExceptions.values()], replaced }, results };
}

const wasImported = (exception: EventRecord): boolean =>
  (exception.instance as InstancePart).imported === true && hasOwnChanges(exception);

const seriesRefusedMessage =
  'The recurring event of this instance was refused, so the instance was not imported either.';
