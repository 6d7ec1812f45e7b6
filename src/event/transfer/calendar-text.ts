import { invalidInputError, requireValid, type Issue, type Reason, type Warning } from '../../core/errors.ts';
import { isTimeZone, toIanaZone } from '../../core/time/time-zone.ts';
import {
  type Component,
  parseCalendars,
  rawValueOf,
  readProperty,
  SyntaxFailure,
} from '../../icalendar/parse.ts';
import { maxOnsetsPerText, readZoneDefinition, type ZoneDefinition } from '../../icalendar/time-zone.ts';
import type { ImportCalendarArgs } from '../event.requests.ts';
import type { FileZones } from './vevent-times.ts';
import { handledProperties, type ImportedComponent } from './vevent.ts';
import { toOriginalStart } from '../../recurrence/original-start.ts';
import { type ComponentResult, refusedResult } from './import-results.ts';

/** Limits of one text: its characters, its components, and the guest entries of all components. */
const maxTextLength = 800_000;
const maxComponents = 2_000;
const maxGuestEntries = 10_000;

const createTextIssue = (reason: Reason, message: string, params: NonNullable<Issue['params']>): Issue => ({
  path: ['icalendar'],
  reason,
  message,
  params,
});

/** Issues of the arguments of importCalendar alone. */
export function calendarTextIssues({ icalendar }: Partial<ImportCalendarArgs>): readonly Issue[] {
  if (typeof icalendar !== 'string' || icalendar.length <= maxTextLength) return [];
  const message = `The text may have ${maxTextLength} characters: import it in several parts.`;
  return [createTextIssue('tooLong', message, { max: maxTextLength, actual: icalendar.length })];
}

/** Parsed text of one or more calendars. */
interface CalendarText {
  readonly components: readonly Component[];
  /** Zone of floating times (X-WR-TIMEZONE). */
  readonly floatingZone: string | undefined;
}

/** Parses a text into its components of the first level. Throws AppError. */
export async function parseCalendarText(text: string): Promise<CalendarText> {
  const calendars = await parseCalendars(text).catch((error: unknown) => {
    if (!(error instanceof SyntaxFailure)) throw error;
    const { line, column } = error;
    const message = `This is not iCalendar. Line ${line}, column ${column}: ${error.message}`;
    throw invalidInputError([createTextIssue('invalid', message, { line, column })]);
  });
  const components = calendars.flatMap((calendar) => calendar.components);
  const guestEntries = components.reduce(
    (count, { lines }) => count + lines.filter(({ name }) => name === 'ATTENDEE').length,
    0,
  );
  const counts = [
    ['components', components.length, maxComponents],
    ['guest entries', guestEntries, maxGuestEntries],
  ] as const;
  const issues = counts
    .filter(([, actual, max]) => actual > max)
    .map(([label, actual, max]) => {
      const message = `The text may have ${max} ${label}: import it in several parts.`;
      return createTextIssue('tooMany', message, { max, actual });
    });
  requireValid(issues);
  const floatingZones = calendars
    .flatMap(({ lines }) => lines.filter(({ name }) => name === 'X-WR-TIMEZONE'))
    .map((line) => toIanaZone(rawValueOf(line).trim()));
  return { components, floatingZone: floatingZones.find(isTimeZone) };
}

/** Reads the VTIMEZONEs whose TZID is neither an IANA nor a Windows zone. */
export async function readZoneDefinitions(
  components: readonly Component[],
  throwIfGone: () => void,
): Promise<FileZones['definitions']> {
  const definitions = new Map<string, ZoneDefinition>();
  const budget = { remainingOnsets: maxOnsetsPerText };
  for (const component of components.filter(({ name }) => name === 'VTIMEZONE')) {
    const tzidLine = component.lines.find(({ name }) => name === 'TZID');
    // A parameter TZID has no escapes, so neither may the name here.
    const tzidValue = tzidLine && readProperty(tzidLine)?.values[0];
    const tzid = typeof tzidValue === 'string' ? tzidValue.trim() : undefined;
    if (tzid === undefined || isTimeZone(toIanaZone(tzid))) continue;
    const definition = await readZoneDefinition(component, budget, throwIfGone);
    if (definition) definitions.set(tzid, definition);
  }
  return definitions;
}

/** Warning that names the properties of events for which the calendar has no field, at most 50 of them. */
export function unreadPropertyWarnings(components: readonly Component[]): Warning[] {
  const names = new Set(
    components
      .filter(({ name }) => name === 'VEVENT')
      .flatMap(({ lines }) => lines.map(({ name }) => name))
      .filter((name) => !handledProperties.has(name) && !name.startsWith('X-')),
  );
  return names.size === 0
    ? []
    : [
        {
          path: ['icalendar'],
          reason: 'ignored',
          message: `Properties without a field were ignored: ${[...names].sort().slice(0, 50).join(', ')}.`,
        },
      ];
}

/** Components of one UID. */
export interface UidGroup {
  /** The series, or the event. */
  readonly mainComponent: ImportedComponent | undefined;
  /** Changed instances by original start. */
  readonly instances: ReadonlyMap<string, ImportedComponent>;
  /** Components that cannot be imported, with their issues. */
  readonly refusedResults: readonly ComponentResult[];
}

/** Sorts the components of a UID. Of several with the same RECURRENCE-ID, the last with the highest SEQUENCE counts. */
export function splitGroup(components: readonly ImportedComponent[]): UidGroup {
  const isAllDay = components.some(({ isInstance, body }) => !isInstance && body.start?.date !== undefined);
  const componentByOriginal = new Map<string | undefined, ImportedComponent>();
  const refusedResults: ComponentResult[] = [];
  for (const importedComponent of components) {
    const component =
      isAllDay && importedComponent.isInstance ? withOriginalDay(importedComponent) : importedComponent;
    const { body, isInstance, report } = component;
    const original = toOriginalStart(body.originalStartTime ?? undefined);
    if (isInstance && original === undefined) {
      refusedResults.push({ component, outcome: report.issues });
      continue;
    }
    const earlierComponent = componentByOriginal.get(original);
    const isNewest = !earlierComponent || (body.sequence ?? 0) >= (earlierComponent.body.sequence ?? 0);
    const olderComponent = isNewest ? earlierComponent : component;
    if (olderComponent)
      refusedResults.push(refusedResult(olderComponent, 'UID', 'duplicate', duplicateMessage));
    if (isNewest) componentByOriginal.set(original, component);
  }
  const mainComponent = componentByOriginal.get(undefined);
  componentByOriginal.delete(undefined);
  const instances = new Map(
    [...componentByOriginal].map(([original, instance]) => [
      original as string,
      mainComponent ? withSequenceOf(mainComponent, instance) : instance,
    ]),
  );
  return { mainComponent, instances, refusedResults };
}

/** Instance of an all-day series by the day of its RECURRENCE-ID, which Outlook writes as a time. */
function withOriginalDay(instance: ImportedComponent): ImportedComponent {
  const { dateTime } = instance.body.originalStartTime ?? {};
  if (typeof dateTime !== 'string') return instance;
  return { ...instance, body: { ...instance.body, originalStartTime: { date: dateTime.slice(0, 10) } } };
}

/** Raises an instance's SEQUENCE to that of its series, because other programs count the two separately. */
function withSequenceOf({ body: { sequence } }: ImportedComponent, instance: ImportedComponent) {
  const ownSequence = instance.body.sequence ?? -1;
  const isLower = ownSequence >= 0 && ownSequence < (sequence ?? 0);
  return isLower ? { ...instance, body: { ...instance.body, sequence } } : instance;
}

const duplicateMessage = 'Another component of the text has this UID and RECURRENCE-ID, and counts instead.';
