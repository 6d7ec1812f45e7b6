import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import type { GatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { streamOf } from '../nats-server.ts';

const manager = 'manager@example.com';
const names = Array.from({ length: 12 }, (_, index) => `photos-${index}`);
const publishing = `mutation ($bucket: String!, $request: String, $change: ObjectChangeInput!) {
  publishObjectChange(bucket: $bucket, requestId: $request, change: $change) { messages { messageId } } }`;

/** Buckets on several shards. */
export const bucketSeed = names.map((name) => ({
  name,
  project: 'my-project',
  managers: [manager],
  notifications: [{ topic: `projects/my-project/topics/${name}` }] as const,
}));

/** Publishes one change; gives the ids of its messages, none where it was not taken. */
export async function publisherTo(
  pick: () => GatewayProcess,
): Promise<(bucket: string) => Promise<string[]>> {
  const token = await tokenFor(manager);
  return async (bucket) => {
    const answer = await pick().ask(token, publishing, {
      bucket,
      change: { eventType: 'OBJECT_FINALIZE', objectId: 'one' },
    });
    return (
      (answer?.data as { publishObjectChange?: { messages: { messageId: string }[] } } | undefined)
        ?.publishObjectChange?.messages ?? []
    ).map(({ messageId }) => messageId);
  };
}

/** One client for each bucket, which publishes changes of one object after the other, each until it is taken. */
export async function startPublishers(pick: () => GatewayProcess, natsUrl: string) {
  const token = await tokenFor(manager);
  const published = new Map<string, string[]>();
  let stopped = false;
  const publishing_ = names.map(async (bucket) => {
    const ids: string[] = [];
    published.set(bucket, ids);
    for (let generation = 1; !stopped; generation += 1) {
      const request = randomUUID();
      const change = { eventType: 'OBJECT_FINALIZE', objectId: bucket, objectGeneration: `${generation}` };
      for (let taken = false; !taken;) {
        const answer = await pick().ask(token, publishing, { bucket, request, change });
        const id = (
          answer?.data as { publishObjectChange?: { messages: [{ messageId: string }] } } | undefined
        )?.publishObjectChange?.messages[0].messageId;
        if (answer && answer.status !== 200 && answer.status !== 503)
          throw new Error(answer.body.slice(0, 300));
        taken = id !== undefined;
        if (id !== undefined) ids.push(id);
        else await pause(50);
      }
      await pause(40);
    }
  });
  return {
    published: () => [...published.values()].flat().length,
    /** Ends them and waits until all has arrived; what is missing or came in another order otherwise. */
    async end(): Promise<void> {
      stopped = true;
      await Promise.all(publishing_);
      await eventually(async () => {
        const first = new Map<string, number>();
        (await streamOf(natsUrl)).forEach(
          ({ id }, index) => id !== undefined && !first.has(id) && first.set(id, index),
        );
        for (const [bucket, ids] of published) {
          const places = ids.map((id) => first.get(id));
          expect([bucket, places]).toEqual([bucket, [...places].sort((a = Infinity, b = Infinity) => a - b)]);
          expect([bucket, ids.filter((id) => !first.has(id))]).toEqual([bucket, []]);
        }
      }, 90_000);
    },
  };
}
