import { Random, seeds } from '../random/seed.ts';
import { startFront } from './services/services.ts';

const insertion = `mutation ($requestId: String, $notification: NotificationInput!) {
  result: insertNotification(bucket: "photos", requestId: $requestId, notification: $notification) { id } }`;
const deletion =
  'mutation ($id: String!) { result: deleteNotification(bucket: "photos", notificationId: $id) }';

const errors =
  /^(UNAVAILABLE (backendError|outcomeUnknown)|RATE_LIMITED rateLimitExceeded|UNAUTHENTICATED authError)$/;

test.each(seeds.flatMap((seed) => [2 * seed, 2 * seed + 1]))(
  'whatever goes wrong behind the gateway, no subscription is lost or made twice (seed %i)',
  async (seed) => {
    const front = await startFront();
    try {
      const {
        gateway,
        services: { buckets, wrong },
      } = front;
      const random = new Random(seed);
      const there = new Map<string, string>();
      const deleted: string[] = [];
      const failed = new Map<string, string>();
      wrong.atRandom(seed, 0.35);
      for (let step = 0; step < 100; step += 1) {
        front.later();
        const write = `w${step}`;
        if (there.size > 0 && random.chance(0.3)) {
          const [id] = random.pick([...there]);
          const {
            problems: [problem],
          } = await gateway.run(deletion, { id });
          if (problem === undefined) deleted.push(id);
          // It may be gone by now, and is not asked for any more.
          there.delete(id);
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
          front.later();
          answer = await run();
        }
        const {
          problems: [problem],
          event,
        } = answer;
        if (problem === undefined) there.set(event.id, write);
        else failed.set(write, problem);
      }
      wrong.none();

      expect([...failed.values()].filter((problem) => !errors.test(problem))).toEqual([]);
      expect(failed.size).toBeGreaterThan(0);
      const kept = buckets
        .notificationsOf('photos')
        .map(
          ({ id, custom_attributes }) =>
            [String(id), (custom_attributes as { readonly write: string }).write] as const,
        );
      expect(kept.map(([, write]) => write)).toEqual([...new Set(kept.map(([, write]) => write))]);
      expect(kept).toEqual(expect.arrayContaining([...there]));
      expect(kept.filter(([id]) => deleted.includes(id))).toEqual([]);
      // What was made and not acknowledged was left open, and nothing was made behind a refusal.
      expect(
        kept.filter(([, write]) => failed.has(write) && failed.get(write) !== 'UNAVAILABLE outcomeUnknown'),
      ).toEqual([]);
    } finally {
      await front.close();
    }
  },
);
