import { createEventTools, type SeededStores } from '../../src/app/stores.ts';
import { readConfig } from '../../src/config.ts';
import { exportData } from '../../src/seed/export.ts';
import { importData } from '../../src/seed/import.ts';
import type { ImportReport } from '../../src/seed/report.ts';
import type { SeedTarget } from '../../src/seed/seed.ts';
import { everyField } from '../selections.ts';
import { secret, type TestGateway } from '../harness.ts';

const config = readConfig({ AUTH_JWT_SECRET: secret });

/** Stores as the command sees them. */
export const targetOf = (
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

export async function exported(stores: SeededStores, calendarId?: string): Promise<string> {
  let text = '';
  for await (const line of exportData(targetOf(stores), { calendarId })) text += line;
  return text;
}

export const imported = (stores: SeededStores, text: string, clock?: () => number): Promise<ImportReport> =>
  importData(JSON.parse(text), targetOf(stores, clock));

const all = everyField('Event');
const list = `query ($calendarId: String!, $after: String) { events(calendarId: $calendarId, showDeleted: true, after: $after) { nodes ${all} pageInfo { hasNextPage endCursor } } }`;
const instances = `query ($calendarId: String!, $eventId: String!) { instances(calendarId: $calendarId, eventId: $eventId, showDeleted: true, timeMax: "2027-05-01T00:00:00Z", first: 250) { nodes ${all} } }`;

type Ask = (as: string, document: string, variables: object) => ReturnType<TestGateway['ask']>;

/** All that a caller is shown of a calendar, by id, without what a store makes up. */
export async function shownOn(ask: Ask, calendarId: string, as: string): Promise<Shown[]> {
  const found: Shown[] = [];
  for (let after: string | null = null; ;) {
    const { data } = await ask(as, list, { calendarId, after });
    if (!data?.events) return [];
    found.push(...(data.events.nodes as Shown[]));
    if (!data.events.pageInfo.hasNextPage) break;
    after = data.events.pageInfo.endCursor as string;
  }
  for (const { id, recurrence } of [...found]) {
    if (recurrence)
      found.push(
        ...(((await ask(as, instances, { calendarId, eventId: id })).data?.instances?.nodes ??
          []) as Shown[]),
      );
  }
  const gone = new Set(found.filter(isGone).map(({ id }) => id));
  // An instance of a series that a guest was taken off leaves a mark for syncs, which a file does not have.
  const told = found.filter((event) => !(isGone(event) && gone.has(event.recurringEventId ?? '')));
  return told
    .map(({ etag: _etag, ...event }) => event as Shown)
    .sort((one, other) => (JSON.stringify([one.id, one]) < JSON.stringify([other.id, other]) ? -1 : 1));
}

const isGone = ({ status, creator }: Shown): boolean => status === 'cancelled' && creator === null;

/** An event as it was answered. */
export interface Shown extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly status: string;
  readonly creator: object | null;
  readonly recurringEventId: string | null;
  readonly etag?: string;
  readonly recurrence?: readonly string[] | null;
}
