import type { Viewer } from '../access/permissions.ts';
import { calendarRef, openCalendar } from '../calendar/calendar.access.ts';
import type { ReadCalendar } from '../calendar/calendar.loaders.ts';
import type { CalendarRecord, CalendarRef } from '../calendar/calendar.ts';
import { AppError, invalidInput, type Issue, type Warning } from '../core/errors.ts';
import { groupByKey } from '../core/patch.ts';
import { eventLoop, mapInTurns } from '../core/runtime/event-loop.ts';
import type { RequestKey } from '../core/runtime/limits.ts';
import { newId } from '../core/new-id.ts';
import { originalStartOf } from '../recurrence/original-start.ts';
import {
  changesTooOften,
  type createImports,
  idOn,
  type ImportTarget,
  instancesAlone,
  maxImportAttempts,
  newTarget,
  pickTarget,
} from './event.import.ts';
import { guestKeys, type ImportCalendarArgs } from './event.requests.ts';
import type { ChangeState, ChangeTarget, Decision, EventStore } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import type { WriteResult } from './event.writes.ts';
import { exceptionsAfter } from './instances/exceptions-after.ts';
import { followSeries } from './instances/follow-series.ts';
import {
  type EventRecord,
  hasOwnChanges,
  type InstancePart,
  originalStartOf as originalOf,
} from './model/record.ts';
import { calendarTextIssues, readDefinitions, readText, unreadProperties } from './transfer/calendar-text.ts';
import type { FileZones } from './transfer/vevent-times.ts';
import { type ImportedComponent, readComponent } from './transfer/vevent.ts';
import { eventContextOf } from './visibility/event-context.ts';
import { type EventView, viewOf } from './visibility/event-view.ts';
import { nextStamp } from './write/stamp.ts';

export interface RefusedComponent {
  readonly uid: string | null;
  /** Position among all components of the text. */
  readonly index: number;
  readonly issues: readonly Pick<Issue, 'path' | 'reason' | 'message'>[];
}

export interface CalendarImportView {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: readonly RefusedComponent[];
  /** The first events that were created or updated. */
  readonly events: readonly EventView[];
  readonly warnings: readonly Warning[];
}

const maxEvents = 250;
/** Time for an import of a text. */
export const maxImportMs = 60_000;

type Outcome = 'created' | 'updated' | 'unchanged';

/** Outcome of a component, or its issues. */
interface ComponentResult {
  readonly component: ImportedComponent;
  readonly outcome: Outcome | readonly Issue[];
  readonly event?: EventView;
  readonly warnings?: readonly Warning[];
}

/** Change that stores a group, computed on a loaded state before it is stored. */
interface GroupPlan {
  readonly change: Pick<Decision<unknown>, 'next' | 'exceptions' | 'added' | 'replaced'>;
  readonly results: readonly ComponentResult[];
}

interface CalendarImportDependencies {
  readonly store: EventStore;
  readonly readCalendar: ReadCalendar;
  readonly tools: EventTools;
  readonly decideImport: ReturnType<typeof createImports>;
}

export interface ImportLimits {
  /** Charges the number of components of a text. May throw. */
  readonly charge: (components: number) => void;
  /** Throws after the client went away or its time was over, which ends the import between two UIDs. */
  readonly throwIfGone: () => void;
}

/** Dependencies of one call. */
interface ImportCall extends CalendarImportDependencies {
  readonly viewer: Viewer;
  readonly ref: CalendarRef;
  readonly calendar: CalendarRecord;
  readonly args: ImportCalendarArgs;
  readonly takeTurn: () => Promise<void>;
}

/** Creates importCalendar. Each UID is one step; a refused one does not prevent the others. Lets other requests run in between. */
export function createCalendarImports(dependencies: CalendarImportDependencies) {
  return async function importCalendar(
    viewer: Viewer,
    args: ImportCalendarArgs,
    request: RequestKey,
    { charge, throwIfGone }: ImportLimits,
  ): Promise<CalendarImportView> {
    const ref = calendarRef(args.calendarId, viewer);
    const { calendar } = openCalendar(await dependencies.readCalendar(request, ref), ref, viewer, 'writer');
    const issues = calendarTextIssues(args);
    if (issues.length > 0) throw invalidInput(issues);
    const { components, floatingZone } = await readText(args.icalendar);
    charge(components.length);
    const zones: FileZones = {
      floating: floatingZone ?? calendar.timeZone,
      calendar: calendar.timeZone,
      definitions: await readDefinitions(components, throwIfGone),
    };
    const imported = await mapInTurns(
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
    const call = { ...dependencies, viewer, ref, calendar, args, takeTurn };
    const results: ComponentResult[] = [];
    // A component without UID is a group of its own.
    for (const group of groupByKey(imported, ({ body, index }) =>
      JSON.stringify(body.iCalUID ?? index),
    ).values()) {
      await takeTurn();
      results.push(...(await importGroup(splitGroup(group), call)));
    }
    return summaryOf(results, unreadProperties(components));
  };
}

/** Components of one UID. */
interface UidGroup {
  /** The series, or the event. */
  readonly main: ImportedComponent | undefined;
  /** Changed instances by original start. */
  readonly instances: ReadonlyMap<string, ImportedComponent>;
  /** Components that cannot be imported, with their issues. */
  readonly refused: readonly ComponentResult[];
}

/** Sorts the components of a UID. Of several with the same RECURRENCE-ID, the last with the highest SEQUENCE counts. */
function splitGroup(components: readonly ImportedComponent[]): UidGroup {
  const isAllDay = components.some(({ isInstance, body }) => !isInstance && body.start?.date !== undefined);
  const byOriginal = new Map<string | undefined, ImportedComponent>();
  const refused: ComponentResult[] = [];
  for (const read of components) {
    const component = isAllDay && read.isInstance ? withOriginalDay(read) : read;
    const { body, isInstance, report } = component;
    const original = originalStartOf(body.originalStartTime ?? undefined);
    if (isInstance && original === undefined) {
      refused.push({ component, outcome: report.issues });
      continue;
    }
    const other = byOriginal.get(original);
    const isNewest = !other || (body.sequence ?? 0) >= (other.body.sequence ?? 0);
    const older = isNewest ? other : component;
    if (older) refused.push({ component: older, outcome: [duplicateIssue(older)] });
    if (isNewest) byOriginal.set(original, component);
  }
  const main = byOriginal.get(undefined);
  byOriginal.delete(undefined);
  const instances = new Map(
    [...byOriginal].map(([original, instance]) => [
      original as string,
      main ? withSequenceOf(main, instance) : instance,
    ]),
  );
  return { main, instances, refused };
}

/** Instance of an all-day series by the day of its RECURRENCE-ID, which Outlook writes as a time. */
function withOriginalDay(instance: ImportedComponent): ImportedComponent {
  const { dateTime } = instance.body.originalStartTime ?? {};
  if (typeof dateTime !== 'string') return instance;
  return { ...instance, body: { ...instance.body, originalStartTime: { date: dateTime.slice(0, 10) } } };
}

/** Instance with at least the SEQUENCE of its series in the same text, because other programs count both apart. */
function withSequenceOf({ body: { sequence } }: ImportedComponent, instance: ImportedComponent) {
  const own = instance.body.sequence;
  return typeof sequence === 'number' && typeof own === 'number' && own >= 0 && own < sequence
    ? { ...instance, body: { ...instance.body, sequence } }
    : instance;
}

const duplicateIssue = ({ index }: ImportedComponent): Issue => ({
  path: ['icalendar', index, 'UID'],
  reason: 'duplicate',
  message: 'Another component of the text has this UID and RECURRENCE-ID, and counts instead.',
});

/** Imports the components of a UID as one step. */
async function importGroup(group: UidGroup, call: ImportCall): Promise<readonly ComponentResult[]> {
  const { store, ref, calendar, args, tools } = call;
  const { main, instances, refused } = group;
  const components = [...(main ? [main] : []), ...instances.values()];
  const [first] = components;
  if (!first) return refused;
  const guests = components.flatMap(({ body }) => guestKeys(body, tools.model));
  const original = main ? undefined : [...instances.keys()][0];
  let target = newTarget(undefined);
  for (let attempt = 1; attempt <= maxImportAttempts; attempt += 1) {
    const changeTarget: ChangeTarget = {
      calendar: ref,
      eventId: target.eventId,
      iCalUID: target.found ? undefined : (first.body.iCalUID ?? undefined),
      guests: [...new Set([...guests, ...(target.guests ?? [])])],
    };
    const loaded = await store.changeEvent(changeTarget, (state) => ({ result: state }));
    if (!main && !loaded.event) {
      const series = pickTarget(loaded.eventsWithUid, calendar.id, original);
      if (series?.seriesId !== undefined) {
        target = { found: series.found, eventId: series.seriesId };
        continue;
      }
    }
    const plan =
      main || loaded.event
        ? await planGroup(group, target, loaded, call)
        : await planInstancesAlone(group, loaded, call);
    if ('target' in plan) {
      ({ target } = plan);
      continue;
    }
    const isStored =
      plan.change.next === undefined ||
      args.validateOnly ||
      (await store.changeEvent(changeTarget, (state) =>
        versionsOf(state) === versionsOf(loaded) ? { ...plan.change, result: true } : { result: false },
      ));
    if (isStored) return [...refused, ...plan.results];
  }
  return [
    ...refused,
    ...components.map((component) => ({ component, outcome: [contentionIssue(component)] })),
  ];
}

const contentionIssue = ({ index }: ImportedComponent): Issue => ({
  path: ['icalendar', index, 'UID'],
  reason: 'backendError',
  message: changesTooOften().message,
});

/** Identifies all that a plan depends on. */
const versionsOf = ({ calendar, event, seriesExceptions, eventsWithUid, guests }: ChangeState): string => {
  const versionOf = (record: EventRecord | undefined) => record && [record.key, record.version];
  return JSON.stringify([
    calendar,
    versionOf(event),
    seriesExceptions.map(versionOf).sort(),
    eventsWithUid.map(versionOf),
    [...guests].map(([guest, { calendarId, holder, imported, importedInstances = [] }]) => [
      guest,
      calendarId,
      versionOf(holder),
      versionOf(imported),
      importedInstances.map(versionOf).sort(),
    ]),
  ]);
};

/** Plans instances whose series neither the text nor the calendar has: each is an event of its own. */
async function planInstancesAlone(
  { instances }: UidGroup,
  loaded: ChangeState,
  { decideImport, viewer, ref, calendar, takeTurn, args: { calendarId } }: ImportCall,
): Promise<GroupPlan> {
  const targets = new Map(
    instancesAlone(loaded.eventsWithUid, calendar.id).map((found) => [
      originalStartOf(found.core.originalStartTime),
      { found, eventId: idOn(calendar.id, found) },
    ]),
  );
  const [alone] = targets.values();
  const seriesId = alone?.found.core.recurringEventId ?? newId();
  const results: ComponentResult[] = [];
  const changed: EventRecord[] = [];
  const added: EventRecord[] = [];
  for (const [original, component] of instances) {
    await takeTurn();
    const target = targets.get(original) ?? newTarget(original, seriesId);
    const state = { ...loaded, event: target.found, eventsWithUid: [] };
    try {
      const args = { calendarId, event: component.body };
      const { next, result } = decideImport(viewer, ref, args, target, undefined, state);
      refuseWithIssues(component);
      // The event is loaded, so the decision needs no other target.
      results.push(resultOf(component, target.found !== undefined, result as WriteResult));
      if (next) (target.found ? changed : added).push(next);
    } catch (error) {
      results.push(refusalOf(component, error));
    }
  }
  const [next, ...replaced] = changed;
  const additions = added.map((record) => ({ record, exceptions: [] }));
  return {
    change: next
      ? { next, replaced, added: additions }
      : { next: additions[0]?.record, added: additions.slice(1) },
    results,
  };
}

/** Result of a component that was imported. `isStored`: there was something for it to change. */
const resultOf = (
  component: ImportedComponent,
  isStored: boolean,
  { context, warnings, unchanged }: WriteResult,
): ComponentResult => ({
  component,
  outcome: unchanged ? 'unchanged' : isStored ? 'updated' : 'created',
  event: viewOf(context),
  warnings,
});

/** Ends the import of a component whose text has issues. */
function refuseWithIssues({ report }: ImportedComponent): void {
  if (report.issues.length > 0) throw new AppError('BAD_USER_INPUT', 'invalid', 'The component has issues.');
}

/** Result of a component whose import throws. Issues of the text come first, and hide others of the same property. */
function refusalOf(component: ImportedComponent, error: unknown): ComponentResult {
  const { report, toFilePath } = component;
  if (!(error instanceof AppError) || error.issues.some(({ path }) => path[0] !== 'event')) throw error;
  if (error.issues.length === 0 && report.issues.length === 0) throw error;
  const names = new Set(report.issues.map(({ path }) => path[2]));
  const others = error.issues
    // An end is computed from the start, so a missing start is the only problem.
    .filter(({ path, reason }) => reason !== 'required' || path[1] !== 'end' || component.body.start)
    .map((issue) => ({ ...issue, path: toFilePath(issue.path) }))
    // A start that is wrong in the text is missing in the body.
    .filter(
      ({ path, reason }) =>
        !names.has(path[2]) &&
        (reason !== 'required' || !names.has('DTSTART') || !timeProperties.has(path[2])),
    );
  return { component, outcome: [...report.issues, ...others] };
}

const timeProperties: ReadonlySet<unknown> = new Set(['DTSTART', 'DTEND', 'DURATION']);

/** Computes the change of a group on a loaded state, one component after the other. Returns another target if that has to be loaded. */
async function planGroup(
  { main, instances }: UidGroup,
  target: ImportTarget,
  loaded: ChangeState,
  { decideImport, viewer, ref, calendar, tools, takeTurn, args: { calendarId } }: ImportCall,
): Promise<GroupPlan | { readonly target: ImportTarget }> {
  const decide = ({ body }: ImportedComponent, importTarget: ImportTarget, state: ChangeState) =>
    decideImport(viewer, ref, { calendarId, event: body }, importTarget, undefined, state);
  const before = loaded.event;
  const results: ComponentResult[] = [];
  let mainDecision: Partial<Decision<unknown>> = {};
  let mainContext: WriteResult['context'] | undefined;
  if (main) {
    try {
      const decision = decide(main, target, loaded);
      if ('target' in decision.result) return decision.result;
      refuseWithIssues(main);
      results.push(resultOf(main, before !== undefined, decision.result));
      mainDecision = decision;
      mainContext = decision.result.context;
    } catch (error) {
      const refusals = [...instances.values()].map((component) => ({
        component,
        outcome: [...component.report.issues, seriesRefusedIssue(component)],
      }));
      return { change: {}, results: [refusalOf(main, error), ...refusals] };
    }
  }
  const { replaced = [] } = mainDecision;
  // Without a main component, the series is the loaded event.
  const series = (mainDecision.next ?? before) as EventRecord;
  const id = idOn(calendar.id, series);
  const byOriginal = (exceptions: readonly EventRecord[]) =>
    new Map(exceptions.map((exception) => [originalOf(exception), exception]));
  const exceptions = byOriginal(
    exceptionsAfter(loaded.seriesExceptions, series, before).map(({ next }) => next),
  );
  const decided = byOriginal(mainDecision.exceptions ?? []);
  let exceptionCount = [...new Map([...exceptions, ...decided]).values()].filter(hasOwnChanges).length;
  for (const [original, component] of instances) {
    await takeTurn();
    const event = decided.get(original) ?? exceptions.get(original);
    const state = {
      ...loaded,
      ...{ series, event, exceptionCount, seriesExceptions: [], eventsWithUid: [] },
    };
    try {
      const decision = decide(
        component,
        { found: series, eventId: `${id}_${original}`, seriesId: id },
        state,
      );
      refuseWithIssues(component);
      if (decision.next) {
        decided.set(original, decision.next);
        exceptionCount +=
          Number(hasOwnChanges(decision.next)) - Number(event !== undefined && hasOwnChanges(event));
      }
      // The series is loaded, so the decision needs no other target.
      const result = decision.result as WriteResult;
      results.push(resultOf(component, event !== undefined && hasOwnChanges(event), result));
    } catch (error) {
      results.push(refusalOf(component, error));
    }
  }
  const missing = main
    ? [...exceptions].filter(([original, exception]) => !instances.has(original) && wasImported(exception))
    : [];
  if (missing.length === 0 && decided.size === 0)
    return { change: { next: mainDecision.next, replaced }, results };
  // A new version stores the exceptions. Its stamp is new to readers only if instances are reset.
  const stamp = series === before && missing.length > 0 ? nextStamp(tools.clock, series) : undefined;
  const next =
    series === before
      ? { ...series, version: series.version + 1, ...(stamp && { coreStamp: stamp, openStamp: stamp }) }
      : series;
  for (const [original, exception] of missing)
    decided.set(
      original,
      followSeries(exception, next, before, () => false),
    );
  if (stamp && mainContext)
    results[0] = {
      ...(results[0] as ComponentResult),
      outcome: 'updated',
      event: viewOf(eventContextOf(next, { ...mainContext, viewer })),
    };
  return { change: { next, exceptions: [...decided.values()], replaced }, results };
}

/** Whether an import brought the change of an instance. */
const wasImported = (exception: EventRecord): boolean =>
  (exception.instance as InstancePart).imported === true && hasOwnChanges(exception);

const seriesRefusedIssue = ({ index }: ImportedComponent): Issue => ({
  path: ['icalendar', index, 'RECURRENCE-ID'],
  reason: 'invalid',
  message: 'The recurring event of this instance was refused, so the instance was not imported either.',
});

/** Counts the results of all components. */
function summaryOf(results: readonly ComponentResult[], warnings: readonly Warning[]): CalendarImportView {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const refused: RefusedComponent[] = [];
  for (const { component, outcome } of results)
    if (typeof outcome === 'string') counts[outcome] += 1;
    else refused.push({ uid: component.body.iCalUID ?? null, index: component.index, issues: outcome });
  const events = results.flatMap(({ outcome, event }) =>
    event && (outcome === 'created' || outcome === 'updated') ? [event] : [],
  );
  return {
    ...counts,
    refused: refused.sort((a, b) => a.index - b.index),
    events: events.slice(0, maxEvents),
    warnings: [
      ...warnings,
      ...results.flatMap(({ component, warnings: ownWarnings = [] }) => [
        ...component.report.warnings,
        ...ownWarnings.map((warning) => ({ ...warning, path: component.toFilePath(warning.path) })),
      ]),
    ],
  };
}
