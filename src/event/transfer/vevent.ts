import type { Path } from '../../core/errors.ts';
import { definedFields } from '../../core/json.ts';
import { Report } from '../../core/report.ts';
import { addressKey, isEmail } from '../../core/text/email.ts';
import { parseLocal, valueFormOf } from '../../recurrence/rule.ts';
import {
  type Component,
  parameterOf,
  type Property,
  rawValueOf,
  type ComponentReader,
  createComponentReader,
} from '../../icalendar/parse.ts';
import type { EventPatch } from '../model/fields.ts';
import { type FileZones, readTimes } from './vevent-times.ts';

/** VEVENT as the body of an import. */
export interface ImportedComponent {
  /** Position among all components of the text. */
  readonly index: number;
  /** A changed instance of a series (RECURRENCE-ID). */
  readonly isInstance: boolean;
  readonly body: EventPatch;
  /** Issues and warnings of the text, by paths that begin with `icalendar` and the index. */
  readonly report: Report;
  /** Converts a path of the body, which begins with `event`, to one of the file. */
  readonly toFilePath: (path: Path) => Path;
}

/** Reads a VEVENT as the body of an import. */
export function readComponent(component: Component, index: number, zones: FileZones): ImportedComponent {
  const report = new Report();
  const reader = createComponentReader(component, index, report);
  const plainFields = readPlainFields(reader);
  const { guestPositions, ...people } = readPeople(reader);
  const body = { ...plainFields, ...people, ...readTimes(reader, zones) } as EventPatch;
  const isInstance = reader.linesOf('RECURRENCE-ID').length > 0;
  return { index, isInstance, body, report, toFilePath: createPathConverter(reader, body, guestPositions) };
}

/** Value of an enumeration by its name in iCalendar. */
function readChoice<Value>(
  { textOf, pathTo, warn }: ComponentReader,
  name: string,
  values: Readonly<Record<string, Value>>,
): Value | undefined {
  const text = textOf(name)?.toUpperCase();
  const value = text === undefined ? undefined : values[text];
  if (text !== undefined && value === undefined)
    warn(pathTo(name), `${name} is none of ${Object.keys(values).join(', ')}: your value was ignored.`);
  return value;
}

/** Reads texts, choices and numbers as fields of a body. */
function readPlainFields(reader: ComponentReader): Record<string, unknown> {
  const { linesOf, textOf, pathTo, warn } = reader;
  const sequence = textOf('SEQUENCE');
  const created = linesOf('CREATED').map(rawValueOf)[0]?.trim();
  const isCreatedInUtc = created !== undefined && valueFormOf(created) === 'utc';
  if (created !== undefined && !isCreatedInUtc)
    warn(pathTo('CREATED'), 'CREATED is not a time in UTC: your value was ignored.');
  return definedFields({
    iCalUID: textOf('UID'),
    summary: textOf('SUMMARY'),
    description: textOf('DESCRIPTION'),
    location: textOf('LOCATION'),
    status: readChoice(reader, 'STATUS', {
      CONFIRMED: 'confirmed',
      TENTATIVE: 'tentative',
      CANCELLED: 'cancelled',
    }),
    visibility: readChoice(reader, 'CLASS', {
      PUBLIC: 'public',
      PRIVATE: 'private',
      CONFIDENTIAL: 'confidential',
    }),
    transparency: readChoice(reader, 'TRANSP', { OPAQUE: 'opaque', TRANSPARENT: 'transparent' }),
    sequence: sequence === undefined ? undefined : Number(sequence),
    created: isCreatedInUtc ? new Date(parseLocal(created)).toISOString() : undefined,
  });
}

/** Limit of the guests of one event, among whom some may be listed twice. The rules of events allow fewer. */
const maxGuestLines = 1_000;

/**
 * Reads organizer and guests. Without a guest other than the organizer, the event is the calendar owner's own. `guestPositions`:
 * position among the ATTENDEE lines for each entry of `attendees`.
 */
function readPeople(reader: ComponentReader) {
  const { linesOf, propertyOf, propertiesOf, pathTo, issue, warn } = reader;
  const organizers = propertiesOf('ORGANIZER');
  const organizer = organizers[0] && addressOf(organizers[0]);
  if (organizers[0] && organizer === undefined)
    warn(pathTo('ORGANIZER'), 'The organizer has no e-mail address: your value was ignored.');
  const guestsByKey = new Map<string, { entry: ReturnType<typeof guestOf>; position: number }>();
  const guestLineCount = linesOf('ATTENDEE').length;
  if (guestLineCount > maxGuestLines)
    issue(
      'ATTENDEE',
      `An event may list ${maxGuestLines} guests; this one lists ${guestLineCount}.`,
      'tooMany',
    );
  const attendeeLines = guestLineCount > maxGuestLines ? [] : linesOf('ATTENDEE');
  for (const [position, line] of attendeeLines.entries()) {
    const property = propertyOf(line);
    if (!property) continue;
    const email = addressOf(property);
    if (email === undefined) {
      warn(pathTo('ATTENDEE', position), 'The guest has no e-mail address: this entry was ignored.');
      continue;
    }
    const key = addressKey(email);
    if (guestsByKey.has(key))
      warn(pathTo('ATTENDEE', position), 'The address is listed twice: the last entry counts.');
    guestsByKey.set(key, { entry: guestOf(property, email), position });
  }
  const organizerKey = organizer === undefined ? undefined : addressKey(organizer);
  if (![...guestsByKey.keys()].some((key) => key !== organizerKey)) return { guestPositions: [] };
  const displayName = organizers[0] && nameOf(organizers[0]);
  return {
    attendees: [...guestsByKey.values()].map(({ entry }) => entry),
    guestPositions: [...guestsByKey.values()].map(({ position }) => position),
    ...(organizer !== undefined && { organizer: definedFields({ email: organizer, displayName }) }),
  };
}

/** Names of properties by fields of the body. */
const propertyNames: Readonly<Record<string, string>> = {
  iCalUID: 'UID',
  start: 'DTSTART',
  originalStartTime: 'RECURRENCE-ID',
  recurringEventId: 'RECURRENCE-ID',
  attendees: 'ATTENDEE',
  visibility: 'CLASS',
  transparency: 'TRANSP',
};

/** Creates `ImportedComponent.toFilePath`. */
const createPathConverter =
  ({ linesOf, pathTo }: ComponentReader, { recurrence }: EventPatch, guestPositions: readonly number[]) =>
  ([, field, position]: Path): Path => {
    const name = String(field);
    if (name === 'end')
      return pathTo(['DTEND', 'DURATION'].find((property) => linesOf(property).length > 0) ?? 'DTSTART');
    if (name === 'recurrence')
      return pathTo(/^\w+/.exec(recurrence?.[Number(position)] ?? '')?.[0] ?? 'RRULE');
    return pathTo(
      propertyNames[name] ?? name.toUpperCase(),
      ...(name === 'attendees' && position !== undefined
        ? [guestPositions[Number(position)] ?? position]
        : []),
    );
  };

/** Properties that need no warning: an import reads them, or they have no meaning after it. */
export const handledProperties: ReadonlySet<string> = new Set([
  ...['UID', 'SUMMARY', 'DESCRIPTION', 'LOCATION', 'STATUS', 'CLASS', 'TRANSP', 'SEQUENCE', 'CREATED'],
  ...['ORGANIZER', 'ATTENDEE', 'DTSTART', 'DTEND', 'DURATION', 'RRULE', 'EXRULE', 'RDATE', 'EXDATE'],
  ...['RECURRENCE-ID', 'DTSTAMP', 'LAST-MODIFIED'],
]);

/** Address of a person, from the parameter EMAIL (RFC 7986) or the URI. */
function addressOf(property: Property): string | undefined {
  const uri = String(property.values[0]).trim();
  const address = /^mailto:([^?]*)/i.exec(uri)?.[1] ?? uri;
  return [parameterOf(property, 'email'), decodeAddress(address)].find(
    (text) => text !== undefined && isEmail(text),
  );
}

function decodeAddress(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const nameOf = (property: Property): string | undefined => parameterOf(property, 'cn') || undefined;

const responseByPartstat: Readonly<Record<string, 'accepted' | 'declined' | 'tentative'>> = {
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'tentative',
};
const resourceTypes: ReadonlySet<string> = new Set(['RESOURCE', 'ROOM']);

function guestOf(property: Property, email: string) {
  const readParameter = (name: string): string | undefined => parameterOf(property, name)?.toUpperCase();
  return definedFields({
    email,
    displayName: nameOf(property),
    responseStatus: responseByPartstat[readParameter('partstat') ?? ''] ?? ('needsAction' as const),
    optional: ['OPT-PARTICIPANT', 'NON-PARTICIPANT'].includes(readParameter('role') ?? '') || undefined,
    resource: resourceTypes.has(readParameter('cutype') ?? '') || undefined,
  });
}
