import { createEventTools, type SeededStores } from '../../src/app/stores.ts';
import { readConfig } from '../../src/config.ts';
import { exportData } from '../../src/seed/export.ts';
import { importData, type SeedTarget } from '../../src/seed/import.ts';
import type { ImportReport } from '../../src/seed/import-report.ts';
import { selectEveryField } from '../selections.ts';
import { secret, type TestGateway } from '../harness.ts';

const config = readConfig({ AUTH_JWT_SECRET: secret });

/** Stores as the data command uses them. */
export const createSeedTarget = (
  { calendars, events, buckets, notifications }: SeededStores,
  clock = Date.now,
): SeedTarget => ({
  calendars,
  events,
  buckets,
  notifications,
  eventTools: createEventTools(config, clock, secret),
  hosts: config,
});

export async function exportText(stores: SeededStores, calendarId?: string): Promise<string> {
  let text = '';
  for await (const line of exportData(createSeedTarget(stores), { calendarId })) text += line;
  return text;
}

export const importText = (stores: SeededStores, text: string, clock?: () => number): Promise<ImportReport> =>
  importData(JSON.parse(text), createSeedTarget(stores, clock));

const eventSelection = selectEveryField('Event');
const eventsQuery = `query ($calendarId: String!, $after: String) { events(calendarId: $calendarId, showDeleted: true, after: $after) { nodes ${eventSelection} pageInfo { hasNextPage endCursor } } }`;
const instancesQuery = `query ($calendarId: String!, $eventId: String!) { instances(calendarId: $calendarId, eventId: $eventId, showDeleted: true, timeMax: "2027-05-01T00:00:00Z", first: 250) { nodes ${eventSelection} } }`;

type SendQuery = (as: string, document: string, variables: object) => ReturnType<TestGateway['ask']>;

/** Lists the events that a caller sees on a calendar, instances included, without etags and sorted by ID. */
export async function listEvents(
  sendQuery: SendQuery,
  calendarId: string,
  as: string,
): Promise<ListedEvent[]> {
  const events: ListedEvent[] = [];
  for (let after: string | null = null; ;) {
    const { data } = await sendQuery(as, eventsQuery, { calendarId, after });
    if (!data?.events) return [];
    events.push(...(data.events.nodes as ListedEvent[]));
    if (!data.events.pageInfo.hasNextPage) break;
    after = data.events.pageInfo.endCursor as string;
  }
  for (const { id: eventId } of events.filter(({ recurrence }) => recurrence)) {
    const { data } = await sendQuery(as, instancesQuery, { calendarId, eventId });
    events.push(...((data?.instances?.nodes ?? []) as ListedEvent[]));
  }
  const tombstoneIds = new Set(events.filter(isTombstone).map(({ id }) => id));
  // Files do not contain tombstones of instances whose series is a tombstone.
  return events
    .filter((event) => !(isTombstone(event) && tombstoneIds.has(event.recurringEventId ?? '')))
    .map(({ etag: _etag, ...event }) => event as ListedEvent)
    .sort((a, b) => (JSON.stringify([a.id, a]) < JSON.stringify([b.id, b]) ? -1 : 1));
}

const isTombstone = ({ status, creator }: ListedEvent): boolean => status === 'cancelled' && creator === null;

/** Members of an event in a response that the tests read; all others are compared as a whole. */
export interface ListedEvent extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly status: string;
  readonly creator: object | null;
  readonly recurringEventId: string | null;
  readonly etag?: string;
  readonly recurrence?: readonly string[] | null;
}
