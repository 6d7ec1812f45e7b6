import type { EventJson } from '../event/event.harness.ts';
import { instantAt } from './zone.ts';
import type { Args } from './operation.ts';

// The expected result of a list, by a filter that is independent of the gateway's code.

/** Calendar data as one caller sees it. */
export interface Snapshot {
  readonly zone: string;
  readonly events: readonly EventJson[];
  /** Original starts by the ID of the series, also of instances that the caller does not see. */
  readonly occurrences: ReadonlyMap<string, readonly string[]>;
  readonly instances: readonly EventJson[];
}

/** Selects the entries of a list, unordered, by a plain filter over all events. */
export function selectEntries(snapshot: Snapshot, args: Args): EventJson[] {
  const isSeries = ({ id }: EventJson): boolean => snapshot.occurrences.has(id);
  const entries =
    args.singleEvents === true
      ? [...snapshot.events.filter((event) => !isSeries(event)), ...snapshot.instances]
      : [...snapshot.events, ...snapshot.instances.filter((instance) => isChanged(snapshot, instance))];
  return entries.filter((event) => isListed(snapshot, event, args));
}

/** Whether an instance differs from its series. */
const isChanged = ({ events }: Snapshot, { etag, recurringEventId }: EventJson): boolean =>
  events.find(({ id }) => id === recurringEventId)?.etag !== etag;

function isListed(snapshot: Snapshot, event: EventJson, args: Args): boolean {
  const { q, iCalUID, updatedMin, showDeleted } = args;
  if (event.status === 'cancelled' && showDeleted !== true && updatedMin === undefined) return false;
  if (typeof updatedMin === 'string' && Date.parse(event.updated) < Date.parse(updatedMin)) return false;
  if (typeof iCalUID === 'string' && event.iCalUID !== iCalUID) return false;
  const words = typeof q === 'string' ? q.toLowerCase().split(' ') : [];
  if (!words.every((word) => searchedTexts(event).some((text) => text.toLowerCase().includes(word))))
    return false;
  for (const name of ['private', 'shared'] as const) {
    for (const property of (args[`${name}ExtendedProperty`] ?? []) as string[]) {
      const [key = '', value] = property.split('=');
      if (event.extendedProperties?.[name]?.[key] !== value) return false;
    }
  }
  return overlapsRange(snapshot, event, args);
}

const searchedTexts = ({ summary, description, location, attendees }: EventJson): string[] => {
  const guestTexts = (attendees ?? []).flatMap(({ displayName, email }: EventJson) => [displayName, email]);
  return [summary, description, location, ...guestTexts].filter((text) => typeof text === 'string');
};

/** Whether an event overlaps the range, or any occurrence of a series does. */
function overlapsRange(snapshot: Snapshot, event: EventJson, { timeMin, timeMax }: Args): boolean {
  if (timeMin === undefined && timeMax === undefined) return true;
  if (!event.start) return false;
  const from = typeof timeMin === 'string' ? Date.parse(timeMin) : -Infinity;
  const to = typeof timeMax === 'string' ? Date.parse(timeMax) : Infinity;
  const [start, end] = [startMs(event, snapshot.zone), timeMs(event.end, snapshot.zone)];
  const overlaps = (startOfOccurrence: number): boolean =>
    startOfOccurrence < to && startOfOccurrence + end - start > from;
  const occurrences = snapshot.occurrences.get(event.id);
  if (!occurrences) return overlaps(start);
  return occurrences.some((original) => overlaps(originalStartMs(original, snapshot.zone)));
}

export const startMs = ({ start }: EventJson, zone: string): number => timeMs(start, zone);

const timeMs = ({ date, dateTime }: EventJson, zone: string): number =>
  dateTime ? Date.parse(dateTime) : instantAt(Date.parse(`${date}T00:00:00Z`), zone);

const originalStartMs = (original: string, zone: string): number => {
  const date = original.replace(/^(....)(..)(..)/, '$1-$2-$3');
  const dateTime = date.replace(/T(..)(..)(..)Z$/, 'T$1:$2:$3Z');
  return timeMs(date.includes('T') ? { dateTime } : { date }, zone);
};
