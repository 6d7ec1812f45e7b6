import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { insist } from './insist.ts';

const inserting =
  'mutation ($request: String!, $event: EventInput!) { result: insertEvent(calendarId: "alice@example.com", requestId: $request, event: $event) { id } }';
const patching =
  'mutation ($id: String!, $event: EventInput!) { result: patchEvent(calendarId: "alice@example.com", eventId: $id, event: $event) { id } }';
const dividing = `mutation ($id: String!, $event: EventInput!) {
  result: patchFollowingEvents(calendarId: "alice@example.com", eventId: $id, event: $event) { before { id } following { id } } }`;
const listing = `query ($calendar: String!, $property: String!, $from: DateTime!, $to: DateTime!) {
  result: events(calendarId: $calendar, singleEvents: true, orderBy: startTime, timeMin: $from, timeMax: $to, sharedExtendedProperty: [$property], first: 100) { nodes { start { dateTime } summary location } } }`;

interface Shown {
  readonly start: { readonly dateTime: string };
  readonly summary: string;
  readonly location: string | null;
}

const days = 20;
const dividedAt = 10;
/** Of the instances that are changed by themselves, one goes with each part. */
const changedAt = [5, 15];
/** Each series has days of its own, so that in the end no list has to look at all of them. */
const startOf = (first: number, day: number): string =>
  new Date(Date.UTC(2030, 0, 1 + first + day, 10)).toISOString();
const instanceOf = (id: string, first: number, day: number): string =>
  `${id}_${startOf(first, day).replaceAll(/[-:]|\.000/g, '')}`;

/** Divides series after series, on one gateway and another; each has to be whole or divided at the end, on Bob's calendar as well. */
export async function startDivisions(gateways: () => readonly GatewayProcess[], amount = 2) {
  const [alice, bob] = await Promise.all([tokenFor('alice@example.com'), tokenFor('bob@example.com')]);
  const ask = async <T>(token: string, document: string, variables: object): Promise<T | undefined> => {
    const all = gateways();
    const answer = await (all[Math.floor(Math.random() * all.length)] as GatewayProcess).ask(
      token,
      document,
      variables,
    );
    return (answer?.data as { readonly result?: T | null } | undefined)?.result ?? undefined;
  };
  let stopped = false;
  let acknowledged = 0;
  let begun = 0;
  const series = new Map<string, { readonly first: number; readonly isDivided: boolean }>();

  async function divide(): Promise<void> {
    while (!stopped) {
      const name = randomUUID();
      const first = (begun += 1) * (days + 1);
      const event = {
        summary: 'before',
        attendees: [{ email: 'bob@example.com' }],
        recurrence: [`RRULE:FREQ=DAILY;COUNT=${days}`],
        extendedProperties: { shared: { name } },
        start: { dateTime: startOf(first, 0), timeZone: 'UTC' },
        end: { dateTime: startOf(first, 0).replace('T10', 'T11'), timeZone: 'UTC' },
      };
      const { id } = await insist(() => ask<{ id: string }>(alice, inserting, { request: name, event }));
      for (const day of changedAt)
        await insist(() =>
          ask(alice, patching, { id: instanceOf(id, first, day), event: { location: `${day}` } }),
        );
      // The verdict reads them one by one.
      await pause(200);
      series.set(name, { first, isDivided: false });
      if (await ask(alice, dividing, { id: instanceOf(id, first, dividedAt), event: { summary: 'after' } })) {
        series.set(name, { first, isDivided: true });
        acknowledged += 1;
      }
    }
  }

  const dividers = Promise.all(Array.from({ length: amount }, divide));
  return {
    acknowledged: () => acknowledged,
    /** Ends it and gives what is wrong with what is stored. */
    async verdict(): Promise<string[]> {
      stopped = true;
      await dividers;
      const faults: string[] = [];
      const locations = Array.from({ length: days }, (_, day) => (changedAt.includes(day) ? `${day}` : null));
      for (const [name, { first, isDivided }] of series) {
        for (const [token, calendar] of [
          [alice, 'alice@example.com'],
          [bob, 'bob@example.com'],
        ] as const) {
          const { nodes } = await insist(() =>
            ask<{ nodes: readonly Shown[] }>(token, listing, {
              calendar,
              property: `name=${name}`,
              from: startOf(first, 0),
              to: startOf(first, days),
            }),
          );
          const shown = JSON.stringify(
            nodes.map(({ start, summary, location }) => [Date.parse(start.dateTime), summary, location]),
          );
          const expected = (later: string): string =>
            JSON.stringify(
              locations.map((location, day) => [
                Date.parse(startOf(first, day)),
                day < dividedAt ? 'before' : later,
                location,
              ]),
            );
          if (shown !== expected('after') && (isDivided || shown !== expected('before')))
            faults.push(`${isDivided ? 'lost or ' : ''}half divided: ${shown}`);
        }
      }
      return faults;
    },
  };
}
