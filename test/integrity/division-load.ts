import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { retryUntilDefined, createSender } from './retry.ts';

const insertMutation =
  'mutation ($request: String!, $event: EventInput!) { result: insertEvent(calendarId: "alice@example.com", requestId: $request, event: $event) { id } }';
const patchMutation =
  'mutation ($id: String!, $event: EventInput!) { result: patchEvent(calendarId: "alice@example.com", eventId: $id, event: $event) { id } }';
const divideMutation = `mutation ($id: String!, $event: EventInput!) {
  result: patchFollowingEvents(calendarId: "alice@example.com", eventId: $id, event: $event) { before { id } following { id } } }`;
const eventsQuery = `query ($calendar: String!, $property: String!, $from: DateTime!, $to: DateTime!) {
  result: events(calendarId: $calendar, singleEvents: true, orderBy: startTime, timeMin: $from, timeMax: $to, sharedExtendedProperty: [$property], first: 100) { nodes { start { dateTime } summary location } } }`;

interface ListedInstance {
  readonly start: { readonly dateTime: string };
  readonly summary: string;
  readonly location: string | null;
}

const dayCount = 20;
const splitDay = 10;
/** Days of individually changed instances, one in each part. */
const changedDays = [5, 15];
/**
 * Start of the instance on a day of a series that begins `firstDay` days after 1 January 2030. Series do not
 * overlap, so the final lists stay short.
 */
const startOf = (firstDay: number, day: number): string =>
  new Date(Date.UTC(2030, 0, 1 + firstDay + day, 10)).toISOString();
const instanceIdOf = (id: string, firstDay: number, day: number): string =>
  `${id}_${startOf(firstDay, day).replaceAll(/[-:]|\.000/g, '')}`;

/** Divides series after series on random gateways. At the end each must be whole or divided, on Bob's calendar too. */
export async function startDivisions(gateways: () => readonly GatewayProcess[], dividerCount = 2) {
  const [alice, bob] = await Promise.all([tokenFor('alice@example.com'), tokenFor('bob@example.com')]);
  const send = createSender(gateways);
  let isStopped = false;
  let acknowledgedCount = 0;
  let seriesCount = 0;
  const seriesByName = new Map<string, { readonly first: number; readonly isDivided: boolean }>();

  async function divideUntilStopped(): Promise<void> {
    while (!isStopped) {
      const seriesName = randomUUID();
      const firstDay = (seriesCount += 1) * (dayCount + 1);
      const event = {
        summary: 'before',
        attendees: [{ email: 'bob@example.com' }],
        recurrence: [`RRULE:FREQ=DAILY;COUNT=${dayCount}`],
        extendedProperties: { shared: { name: seriesName } },
        start: { dateTime: startOf(firstDay, 0), timeZone: 'UTC' },
        end: { dateTime: startOf(firstDay, 0).replace('T10', 'T11'), timeZone: 'UTC' },
      };
      const { id } = await retryUntilDefined(() =>
        send<{ id: string }>(alice, insertMutation, { request: seriesName, event }),
      );
      for (const day of changedDays)
        await retryUntilDefined(() =>
          send(alice, patchMutation, { id: instanceIdOf(id, firstDay, day), event: { location: `${day}` } }),
        );
      // Limits the number of series, which are read one by one at the end.
      await pause(200);
      seriesByName.set(seriesName, { first: firstDay, isDivided: false });
      if (
        await send(alice, divideMutation, {
          id: instanceIdOf(id, firstDay, splitDay),
          event: { summary: 'after' },
        })
      ) {
        seriesByName.set(seriesName, { first: firstDay, isDivided: true });
        acknowledgedCount += 1;
      }
    }
  }

  const dividers = Promise.all(Array.from({ length: dividerCount }, divideUntilStopped));
  return {
    acknowledged: () => acknowledgedCount,
    /** Stops the load and returns the faults in the stored series. */
    async stopAndFindFaults(): Promise<string[]> {
      isStopped = true;
      await dividers;
      const faults: string[] = [];
      const locationOn = (day: number): string | null => (changedDays.includes(day) ? `${day}` : null);
      const locations = Array.from({ length: dayCount }, (_, day) => locationOn(day));
      for (const [name, { first, isDivided }] of seriesByName) {
        for (const [token, calendar] of [
          [alice, 'alice@example.com'],
          [bob, 'bob@example.com'],
        ] as const) {
          const { nodes } = await retryUntilDefined(() =>
            send<{ nodes: readonly ListedInstance[] }>(token, eventsQuery, {
              calendar,
              property: `name=${name}`,
              from: startOf(first, 0),
              to: startOf(first, dayCount),
            }),
          );
          const actual = JSON.stringify(
            nodes.map(({ start, summary, location }) => [Date.parse(start.dateTime), summary, location]),
          );
          const expected = (laterSummary: string): string =>
            JSON.stringify(
              locations.map((location, day) => [
                Date.parse(startOf(first, day)),
                day < splitDay ? 'before' : laterSummary,
                location,
              ]),
            );
          if (actual !== expected('after') && (isDivided || actual !== expected('before')))
            faults.push(`${isDivided ? 'lost or ' : ''}half divided: ${actual}`);
        }
      }
      return faults;
    },
  };
}
