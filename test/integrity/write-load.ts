import { randomUUID } from 'node:crypto';
import { tokenFor } from '../harness.ts';
import { insist } from './insist.ts';
import type { GatewayProcess } from '../gateway-process.ts';

const patching =
  'mutation ($id: String!, $event: EventInput!) { result: patchEvent(calendarId: "alice@example.com", eventId: $id, event: $event) { etag } }';
const inserting =
  'mutation ($request: String!, $event: EventInput!) { result: insertEvent(calendarId: "alice@example.com", requestId: $request, event: $event) { id } }';
const reading =
  'query ($calendar: String!, $id: String!) { result: event(calendarId: $calendar, eventId: $id) { summary location } }';
const times = { start: { dateTime: '2030-01-01T10:00:00Z' }, end: { dateTime: '2030-01-01T11:00:00Z' } };

interface Shown {
  readonly result: { readonly summary: string; readonly location?: string } | null;
}

/**
 * Writers on one gateway and another: each counts up in two fields of an event that Bob is invited to, and inserts events
 * with request ids. What was acknowledged has to be there at the end, each change whole, on Bob's copy as well.
 */
export async function startWriters(gateways: () => readonly GatewayProcess[], amount = 8) {
  const [alice, bob] = await Promise.all([tokenFor('alice@example.com'), tokenFor('bob@example.com')]);
  const insert = async (request: string, event: object): Promise<string | undefined> => {
    const answer = await pick().ask(alice, inserting, { request, event: { ...times, ...event } });
    return (answer?.data as { result?: { id: string } | null } | undefined)?.result?.id;
  };
  const pick = (): GatewayProcess => {
    const all = gateways();
    return all[Math.floor(Math.random() * all.length)] as GatewayProcess;
  };
  let stopped = false;
  let acknowledged = 0;
  let lastAt = Date.now();
  let longestGap = 0;
  const inserted = new Map<string, string>();
  const faults: string[] = [];
  const done = (): void => {
    acknowledged += 1;
    longestGap = Math.max(longestGap, Date.now() - lastAt);
    lastAt = Date.now();
  };

  const counters = await Promise.all(
    Array.from({ length: amount }, async () => {
      const request = randomUUID();
      return {
        id: await insist(() =>
          insert(request, { summary: '0', location: '0', attendees: [{ email: 'bob@example.com' }] }),
        ),
        acknowledged: 0,
        sent: 0,
      };
    }),
  );

  async function write(counter: (typeof counters)[number]): Promise<void> {
    while (!stopped) {
      counter.sent += 1;
      const value = `${counter.sent}`;
      const answer = await pick().ask(alice, patching, {
        id: counter.id,
        event: { summary: value, location: value },
      });
      if ((answer?.data as Shown | undefined)?.result) {
        counter.acknowledged = counter.sent;
        done();
      } else if (answer && answer.status !== 503) faults.push(answer.body.slice(0, 300));
      if (counter.sent % 10 === 0) {
        const request = randomUUID();
        // The same request again, as a client does that got no answer.
        const id = await insert(request, { summary: request }).then((first) =>
          stopped ? first : (first ?? insert(request, { summary: request })),
        );
        if (id) inserted.set(request, id);
      }
    }
  }

  const writing = Promise.all(counters.map(write));
  // Whoever stops them without a verdict has failed for another reason.
  writing.catch(() => undefined);
  return {
    stop: () => void (stopped = true),
    acknowledged: () => acknowledged,
    /** Milliseconds without any acknowledged write, since the last call. */
    gap: () => {
      const gap = longestGap;
      longestGap = 0;
      lastAt = Date.now();
      return gap;
    },
    /** Ends the writers and gives what is wrong with what is stored. */
    async verdict(): Promise<string[]> {
      stopped = true;
      await writing;
      const read = async (token: string, calendar: string, id: string): Promise<Shown['result']> =>
        insist(
          async () => (await pick().ask(token, reading, { calendar, id }))?.data as Shown | undefined,
        ).then(({ result }) => result);
      for (const { id, acknowledged: known, sent } of counters) {
        const [own, copy] = [
          await read(alice, 'alice@example.com', id),
          await read(bob, 'bob@example.com', id),
        ];
        const value = Number(own?.summary);
        if (!(value >= known && value <= sent))
          faults.push(`lost: ${known} was acknowledged, ${value} is stored`);
        if (
          own?.summary !== own?.location ||
          own?.summary !== copy?.summary ||
          copy?.summary !== copy?.location
        )
          faults.push(`half applied: ${JSON.stringify([own, copy])}`);
      }
      for (const [request, id] of inserted) {
        if ((await read(alice, 'alice@example.com', id))?.summary !== request)
          faults.push(`lost: the insert of ${request}`);
      }
      return faults;
    },
  };
}
