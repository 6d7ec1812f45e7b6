import { randomUUID } from 'node:crypto';
import { tokenFor } from '../harness.ts';
import { retryUntilDefined } from './retry.ts';
import type { GatewayProcess } from '../gateway-process.ts';

const patchMutation =
  'mutation ($id: String!, $event: EventInput!) { result: patchEvent(calendarId: "alice@example.com", eventId: $id, event: $event) { etag } }';
const insertMutation =
  'mutation ($request: String!, $event: EventInput!) { result: insertEvent(calendarId: "alice@example.com", requestId: $request, event: $event) { id } }';
const eventQuery =
  'query ($calendar: String!, $id: String!) { result: event(calendarId: $calendar, eventId: $id) { summary location } }';
const times = { start: { dateTime: '2030-01-01T10:00:00Z' }, end: { dateTime: '2030-01-01T11:00:00Z' } };

interface EventResponse {
  readonly result: { readonly summary: string; readonly location?: string } | null;
}

/**
 * Writers on random gateways. Each counts up in two fields of an event that Bob is invited to, and inserts events with
 * request IDs. At the end, each acknowledged write must be stored completely, on Bob's copy too.
 */
export async function startWriters(gateways: () => readonly GatewayProcess[], writerCount = 8) {
  const [alice, bob] = await Promise.all([tokenFor('alice@example.com'), tokenFor('bob@example.com')]);
  const insertEvent = async (request: string, event: object): Promise<string | undefined> => {
    const answer = await pickGateway().ask(alice, insertMutation, { request, event: { ...times, ...event } });
    return (answer?.data as { result?: { id: string } | null } | undefined)?.result?.id;
  };
  const pickGateway = (): GatewayProcess => {
    const candidates = gateways();
    return candidates[Math.floor(Math.random() * candidates.length)] as GatewayProcess;
  };
  let isStopped = false;
  let acknowledgedCount = 0;
  let lastAcknowledgedAtMs = Date.now();
  let maxGapMs = 0;
  const insertedIds = new Map<string, string>();
  const faults: string[] = [];
  const recordAcknowledged = (): void => {
    acknowledgedCount += 1;
    maxGapMs = Math.max(maxGapMs, Date.now() - lastAcknowledgedAtMs);
    lastAcknowledgedAtMs = Date.now();
  };

  const firstEvent = { summary: '0', location: '0', attendees: [{ email: 'bob@example.com' }] };
  const counters = await Promise.all(
    Array.from({ length: writerCount }, async () => {
      const requestId = randomUUID();
      return {
        id: await retryUntilDefined(() => insertEvent(requestId, firstEvent)),
        acknowledged: 0,
        sent: 0,
      };
    }),
  );

  async function writeUntilStopped(counter: (typeof counters)[number]): Promise<void> {
    while (!isStopped) {
      counter.sent += 1;
      const value = `${counter.sent}`;
      const event = { summary: value, location: value };
      const answer = await pickGateway().ask(alice, patchMutation, { id: counter.id, event });
      if ((answer?.data as EventResponse | undefined)?.result) {
        counter.acknowledged = counter.sent;
        recordAcknowledged();
      } else if (answer && answer.status !== 503) faults.push(answer.body.slice(0, 300));
      if (counter.sent % 10 === 0) {
        const requestId = randomUUID();
        // Repeats the request after a missing response, as clients do.
        const id = await insertEvent(requestId, { summary: requestId }).then((firstId) =>
          isStopped ? firstId : (firstId ?? insertEvent(requestId, { summary: requestId })),
        );
        if (id) insertedIds.set(requestId, id);
      }
    }
  }

  const allWriters = Promise.all(counters.map(writeUntilStopped));
  // Prevents an unhandled rejection if a test fails before it stops the writers.
  allWriters.catch(() => undefined);
  return {
    stop: () => void (isStopped = true),
    acknowledged: () => acknowledgedCount,
    /** Longest time without an acknowledged write since the last call, in ms. */
    takeMaxGapMs: () => {
      const reportedGapMs = maxGapMs;
      maxGapMs = 0;
      lastAcknowledgedAtMs = Date.now();
      return reportedGapMs;
    },
    /** Stops the writers and returns the faults in the stored events. */
    async stopAndFindFaults(): Promise<string[]> {
      isStopped = true;
      await allWriters;
      const readUntilAnswered = async (
        token: string,
        calendar: string,
        id: string,
      ): Promise<EventResponse['result']> =>
        retryUntilDefined(
          async () =>
            (await pickGateway().ask(token, eventQuery, { calendar, id }))?.data as EventResponse | undefined,
        ).then(({ result }) => result);
      for (const { id, acknowledged: minValue, sent } of counters) {
        const organizerCopy = await readUntilAnswered(alice, 'alice@example.com', id);
        const guestCopy = await readUntilAnswered(bob, 'bob@example.com', id);
        const value = Number(organizerCopy?.summary);
        if (!(value >= minValue && value <= sent))
          faults.push(`lost: ${minValue} was acknowledged, ${value} is stored`);
        if (
          organizerCopy?.summary !== organizerCopy?.location ||
          organizerCopy?.summary !== guestCopy?.summary ||
          guestCopy?.summary !== guestCopy?.location
        )
          faults.push(`half applied: ${JSON.stringify([organizerCopy, guestCopy])}`);
      }
      for (const [request, id] of insertedIds) {
        if ((await readUntilAnswered(alice, 'alice@example.com', id))?.summary !== request)
          faults.push(`lost: the insert of ${request}`);
      }
      return faults;
    },
  };
}
