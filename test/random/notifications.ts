import { alice, bob, eve } from '../event/event.harness.ts';
import { bucketNames } from './bucket-writes.ts';
import { buckets, topics } from './cast.ts';
import type { Args, MakeRequest } from './operation.ts';
import type { Random } from './seed.ts';

/** Makes a request about notifications or an object change. */
export const makeNotificationRequest: MakeRequest = (random, { earlier }) => {
  const bucket = random.pickWeighted([
    [8, buckets[0]],
    [2, buckets[1]],
    [4, random.pick(bucketNames)],
    [1, 'no-such-bucket'],
  ]);
  const as = random.pickWeighted([
    [6, alice],
    [2, bob],
    [1, eve],
  ]);
  const payerArgs = random.chance(0.3) ? { userProject: 'my-project' } : {};
  const insertRequests = earlier.filter(({ name }) => name === 'insertNotification');
  const notificationId =
    insertRequests.length > 0 ? { $notification: random.pick(insertRequests).step } : '1';
  const repeatArgs = {
    ...(random.chance(0.2) && { requestId: `request ${random.integerBelow(20)}` }),
    ...(random.chance(0.1) && { validateOnly: true }),
  };
  const [name, args] = random.pickWeighted<readonly [string, Args]>([
    [3, ['insertNotification', { ...payerArgs, ...repeatArgs, notification: randomNotification(random) }]],
    [1, ['deleteNotification', { ...payerArgs, notificationId }]],
    [1, ['notification', { ...payerArgs, notificationId }]],
    [1, ['notifications', payerArgs]],
    [3, ['publishObjectChange', { ...repeatArgs, change: randomObjectChange(random) }]],
  ]);
  return [{ name, as, args: { bucket, ...args } }];
};

const eventTypes = ['OBJECT_FINALIZE', 'OBJECT_DELETE', 'OBJECT_ARCHIVE'];
const randomNotification = (random: Random): Args => ({
  topic: random.pickWeighted<unknown>([
    [8, random.pick(topics)],
    [1, null],
    [1, 'no topic'],
  ]),
  ...(random.chance(0.5) && { event_types: random.pickSome(eventTypes) }),
  ...(random.chance(0.3) && { object_name_prefix: random.pick(['albums/', 'a']) }),
  ...(random.chance(0.3) && { payload_format: random.pick(['NONE', 'JSON_API_V1']) }),
  ...(random.chance(0.2) && { custom_attributes: random.pick([{ a: '1' }, { googOne: '1' }, { a: null }]) }),
});

const randomObjectChange = (random: Random): Args => ({
  eventType: random.pick(['OBJECT_FINALIZE', 'OBJECT_DELETE']),
  objectId: random.pick(['albums/cat.jpg', 'albums/dog.jpg', 'zoo.jpg', '.']),
  ...(random.chance(0.3) && { objectGeneration: '7', object: { name: 'cat', size: 5 } }),
});
