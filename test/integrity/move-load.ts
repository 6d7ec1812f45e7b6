import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { retryUntilDefined, createSender } from './retry.ts';

const shareMutation =
  'mutation { result: setCalendarAccess(calendarId: "primary", email: "alice@example.com", role: writer) { role } }';
const insertMutation =
  'mutation ($request: String!, $event: EventInput!) { result: insertEvent(calendarId: "alice@example.com", requestId: $request, event: $event) { id } }';
const patchMutation =
  'mutation ($id: String!, $event: EventInput!) { result: patchEvent(calendarId: "alice@example.com", eventId: $id, event: $event) { id } }';
const moveMutation = `mutation ($from: String!, $id: String!, $to: String!) {
  result: moveEvent(calendarId: $from, eventId: $id, destination: $to) { id } }`;
const instancesQuery = `query ($calendar: String!, $id: String!) {
  result: instances(calendarId: $calendar, eventId: $id) { nodes { location organizer { email } } } }`;
const eventQuery = `query ($calendar: String!, $id: String!) {
  result: event(calendarId: $calendar, eventId: $id) { status } }`;

/** Calendars between which series are moved. */
const homes = ['alice@example.com', 'carol@example.com'] as const;
type Home = (typeof homes)[number];

const dayCount = 6;
/** Days of individually changed instances. */
const changedDays = [1, 4];

interface MovedSeries {
  readonly id: string;
  /** Calendars that may organize the series: two after a move without a response. */
  readonly possibleHomes: readonly Home[];
}

/** Moves series back and forth on random gateways. At the end each must be on one calendar with all instances, for guests too. */
export async function startMoves(gateways: () => readonly GatewayProcess[], moverCount = 2) {
  const [alice, bob, carol] = (await Promise.all(
    ['alice', 'bob', 'carol'].map((name) => tokenFor(`${name}@example.com`)),
  )) as [string, string, string];
  const send = createSender(gateways);
  const sendUntilAnswered = <T>(token: string, document: string, variables: object): Promise<T> =>
    retryUntilDefined(() => send<T>(token, document, variables));
  await sendUntilAnswered(carol, shareMutation, {});
  let isStopped = false;
  let acknowledgedCount = 0;
  const movedSeries: MovedSeries[] = [];

  async function makeSeries(): Promise<string> {
    const requestId = randomUUID();
    const event = {
      attendees: [{ email: 'bob@example.com' }],
      recurrence: [`RRULE:FREQ=DAILY;COUNT=${dayCount}`],
      start: { dateTime: '2030-01-01T10:00:00Z', timeZone: 'UTC' },
      end: { dateTime: '2030-01-01T11:00:00Z', timeZone: 'UTC' },
    };
    const { id } = await sendUntilAnswered<{ id: string }>(alice, insertMutation, {
      request: requestId,
      event,
    });
    for (const day of changedDays) {
      const instance = { id: `${id}_2030010${day + 1}T100000Z`, event: { location: `${day}` } };
      await sendUntilAnswered(alice, patchMutation, instance);
    }
    return id;
  }

  /** Moves one series until a move is not answered, or the load ends. */
  async function moveSeries(): Promise<MovedSeries> {
    const id = await makeSeries();
    for (let [from, to] = homes as readonly Home[]; ; [from, to] = [to, from]) {
      if (isStopped) return { id, possibleHomes: [from as Home] };
      await pause(20);
      if (!(await send(alice, moveMutation, { id, from, to })))
        return { id, possibleHomes: [from as Home, to as Home] };
      acknowledgedCount += 1;
    }
  }

  async function moveUntilStopped(): Promise<void> {
    while (!isStopped) movedSeries.push(await moveSeries());
  }

  const expectedLocations = Array.from({ length: dayCount }, (_, day) =>
    changedDays.includes(day) ? `${day}` : null,
  );
  /** Whether a calendar has all instances of a series, with the given organizer. */
  async function isWholeOn(token: string, calendar: string, id: string, organizer: Home): Promise<boolean> {
    const { nodes } = await sendUntilAnswered<{
      nodes: readonly {
        readonly location: string | null;
        readonly organizer: { readonly email: string } | null;
      }[];
    }>(token, instancesQuery, { calendar, id });
    return (
      JSON.stringify(nodes.map(({ location }) => location)) === JSON.stringify(expectedLocations) &&
      nodes.every((node) => node.organizer?.email === organizer)
    );
  }

  async function findFault({ id, possibleHomes }: MovedSeries): Promise<string | undefined> {
    for (const home of possibleHomes) {
      const { status } = await sendUntilAnswered<{ status: string }>(alice, eventQuery, {
        calendar: home,
        id,
      });
      if (status === 'cancelled') continue;
      const otherHome = homes.find((calendar) => calendar !== home) as Home;
      const remainingCopy = await send<{ status: string }>(alice, eventQuery, { calendar: otherHome, id });
      const isWhole =
        (await isWholeOn(alice, home, id, home)) && (await isWholeOn(bob, 'bob@example.com', id, home));
      return isWhole && remainingCopy?.status !== 'confirmed' ? undefined : `half moved to ${home}: ${id}`;
    }
    return `lost: ${id}`;
  }

  const movers = Promise.all(Array.from({ length: moverCount }, moveUntilStopped));
  return {
    acknowledged: () => acknowledgedCount,
    /** Stops the load and returns the faults in the stored series. */
    async stopAndFindFaults(): Promise<string[]> {
      isStopped = true;
      await movers;
      const faults = await Promise.all(movedSeries.map(findFault));
      return faults.filter((fault) => fault !== undefined);
    },
  };
}
