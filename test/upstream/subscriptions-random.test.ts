import { Random, seeds } from '../random/seed.ts';
import { startFront } from './services/services.ts';

const insertion = `mutation ($requestId: String, $notification: NotificationInput!) {
  result: insertNotification(bucket: "photos", requestId: $requestId, notification: $notification) { id } }`;
const deletion =
  'mutation ($id: String!) { result: deleteNotification(bucket: "photos", notificationId: $id) }';

const errors =
  /^(UNAVAILABLE (backendError|outcomeUnknown)|RATE_LIMITED rateLimitExceeded|UNAUTHENTICATED authError)$/;

test.each(seeds.flatMap((seed) => [2 * seed, 2 * seed + 1]))(
  'random service failures lose no notification and insert none twice (seed %i)',
  async (seed) => {
    const front = await startFront();
    try {
      const {
        gateway,
        services: { buckets, misbehaviour },
      } = front;
      const random = new Random(seed);
      const acknowledged = new Map<string, string>();
      const deleted: string[] = [];
      const failed = new Map<string, string>();
      misbehaviour.failAtRandom(seed, 0.35);
      for (let step = 0; step < 100; step += 1) {
        front.skipMinute();
        const write = `w${step}`;
        if (acknowledged.size > 0 && random.chance(0.3)) {
          const [id] = random.pick([...acknowledged]);
          const {
            problems: [problem],
          } = await gateway.run(deletion, { id });
          if (problem === undefined) deleted.push(id);
          // A notification with an unknown outcome is not used again.
          acknowledged.delete(id);
          continue;
        }
        const notification = {
          topic: 'projects/my-project/topics/photos',
          payload_format: 'NONE',
          custom_attributes: { write },
        };
        const requestId = random.chance(0.5) ? write : undefined;
        const run = () => gateway.run(insertion, { requestId, notification });
        let answer = await run();
        for (let times = 0; requestId !== undefined && answer.problems.length > 0 && times < 5; times += 1) {
          front.skipMinute();
          answer = await run();
        }
        const {
          problems: [problem],
          event,
        } = answer;
        if (problem === undefined) acknowledged.set(event.id, write);
        else failed.set(write, problem);
      }
      misbehaviour.clear();

      expect([...failed.values()].filter((problem) => !errors.test(problem))).toEqual([]);
      expect(failed.size).toBeGreaterThan(0);
      const stored = buckets
        .notificationsOf('photos')
        .map(
          ({ id, custom_attributes }) =>
            [String(id), (custom_attributes as { readonly write: string }).write] as const,
        );
      expect(stored.map(([, write]) => write)).toEqual([...new Set(stored.map(([, write]) => write))]);
      expect(stored).toEqual(expect.arrayContaining([...acknowledged]));
      expect(stored.filter(([id]) => deleted.includes(id))).toEqual([]);
      // Unacknowledged inserts were reported as unknown; refused inserts made nothing.
      expect(
        stored.filter(([, write]) => failed.has(write) && failed.get(write) !== 'UNAVAILABLE outcomeUnknown'),
      ).toEqual([]);
    } finally {
      await front.close();
    }
  },
);
