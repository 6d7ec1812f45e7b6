import { invalidInputError, requireValid, type Issue, type Reason, type Warning } from '../../core/errors.ts';
import { isTimeZone, toIanaZone } from '../../core/time/time-zone.ts';
import {
  type Component,
  parseCalendars,
  rawValueOf,
  readProperty,
  SyntaxFailure,
} from '../../icalendar/parse.ts';
import {
  maxOnsetsPerText,
  readZoneDefinition,
  type ZoneDefinition,
} from '../../icalendar/zone-definition.ts';
import type { ImportCalendarArgs } from '../event.requests.ts';
import type { FileZones } from './vevent-times.ts';
import { handledProperties } from './vevent.ts';

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
export const calendarTextIssues = ({ icalendar }: Partial<ImportCalendarArgs>): readonly Issue[] =>
  typeof icalendar === 'string' && icalendar.length > maxTextLength
    ? [
        createTextIssue(
          'tooLong',
          `The text may have ${maxTextLength} characters: import it in several parts.`,
          {
            max: maxTextLength,
            actual: icalendar.length,
          },
        ),
      ]
    : [];

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
    const { message, line, column } = error;
    throw invalidInputError([
      createTextIssue('invalid', `This is not iCalendar. Line ${line}, column ${column}: ${message}`, {
        line,
        column,
      }),
    ]);
  });
  const components = calendars.flatMap((calendar) => calendar.components);
  const guestEntries = components.reduce(
    (count, { lines }) => count + lines.filter(({ name }) => name === 'ATTENDEE').length,
    0,
  );
  const issues = [
    ['components', components.length, maxComponents] as const,
    ['guest entries', guestEntries, maxGuestEntries] as const,
  ].flatMap(([label, actual, max]) =>
    actual > max
      ? [
          createTextIssue('tooMany', `The text may have ${max} ${label}: import it in several parts.`, {
            max,
            actual,
          }),
        ]
      : [],
  );
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
  const zoneComponents = components.flatMap((component) => {
    const tzidLine = component.lines.find(({ name }) => name === 'TZID');
    // A parameter TZID has no escapes, so neither may the name here.
    const tzidValue = tzidLine && readProperty(tzidLine)?.values[0];
    const tzid = typeof tzidValue === 'string' ? tzidValue.trim() : undefined;
    return component.name !== 'VTIMEZONE' || tzid === undefined || isTimeZone(toIanaZone(tzid))
      ? []
      : [{ tzid, component }];
  });
  const definitions = new Map<string, ZoneDefinition>();
  const budget = { remainingOnsets: maxOnsetsPerText };
  for (const { tzid, component } of zoneComponents) {
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
