import type { Shown } from '../event/event.harness.ts';
import { instantAt } from './zone.ts';
import type { Args } from './operation.ts';

/** What a caller is shown of a calendar, event by event and occurrence by occurrence, and the calendar's zone. */
export interface Knowledge {
  readonly zone: string;
  readonly events: readonly Shown[];
  /** The occurrences of those events that are series, by the series' id: also where the caller is shown none of them. */
  readonly occurrences: ReadonlyMap<string, readonly string[]>;
  readonly instances: readonly Shown[];
}

/** The entries of a list without its order: one plain filter over all that there is. */
export function plainList(known: Knowledge, args: Args): Shown[] {
  const isSeries = ({ id }: Shown): boolean => known.occurrences.has(id);
  const entries =
    args.singleEvents === true
      ? [...known.events.filter((event) => !isSeries(event)), ...known.instances]
      : [...known.events, ...known.instances.filter((instance) => isChanged(known, instance))];
  return entries.filter((event) => isListed(known, event, args));
}

/** An instance that shows something of its own. */
const isChanged = ({ events }: Knowledge, { etag, recurringEventId }: Shown): boolean =>
  events.find(({ id }) => id === recurringEventId)?.etag !== etag;

function isListed(known: Knowledge, event: Shown, args: Args): boolean {
  const { q, iCalUID, updatedMin, showDeleted } = args;
  if (event.status === 'cancelled' && showDeleted !== true && updatedMin === undefined) return false;
  if (typeof updatedMin === 'string' && Date.parse(event.updated) < Date.parse(updatedMin)) return false;
  if (typeof iCalUID === 'string' && event.iCalUID !== iCalUID) return false;
  const words = typeof q === 'string' ? q.toLowerCase().split(' ') : [];
  if (!words.every((word) => textsOf(event).some((text) => text.toLowerCase().includes(word)))) return false;
  for (const name of ['private', 'shared'] as const) {
    for (const property of (args[`${name}ExtendedProperty`] ?? []) as string[]) {
      const [key = '', value] = property.split('=');
      if (event.extendedProperties?.[name]?.[key] !== value) return false;
    }
  }
  return isWithin(known, event, args);
}

const textsOf = ({ summary, description, location, attendees }: Shown): string[] =>
  [
    summary,
    description,
    location,
    ...(attendees ?? []).flatMap(({ displayName, email }: Shown) => [displayName, email]),
  ].filter((text) => typeof text === 'string');

/** A series counts when one of its occurrences does. */
function isWithin(known: Knowledge, event: Shown, { timeMin, timeMax }: Args): boolean {
  if (timeMin === undefined && timeMax === undefined) return true;
  if (!event.start) return false;
  const [from, to] = [
    typeof timeMin === 'string' ? Date.parse(timeMin) : -Infinity,
    typeof timeMax === 'string' ? Date.parse(timeMax) : Infinity,
  ];
  const [start, end] = [startOf(event, known.zone), momentOf(event.end, known.zone)];
  const overlaps = (begin: number): boolean => begin < to && begin + end - start > from;
  const occurrences = known.occurrences.get(event.id);
  if (!occurrences) return overlaps(start);
  return occurrences.some((original) => overlaps(originalMoment(original, known.zone)));
}

export const startOf = ({ start }: Shown, zone: string): number => momentOf(start, zone);

const momentOf = ({ date, dateTime }: Shown, zone: string): number =>
  dateTime ? Date.parse(dateTime) : instantAt(Date.parse(`${date}T00:00:00Z`), zone);

const originalMoment = (original: string, zone: string): number => {
  const date = original.replace(/^(....)(..)(..)/, '$1-$2-$3');
  return momentOf(
    date.includes('T') ? { dateTime: date.replace(/T(..)(..)(..)Z$/, 'T$1:$2:$3Z') } : { date },
    zone,
  );
};
