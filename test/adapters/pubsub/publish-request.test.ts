import { hostOfTopic, orderingKeyOf, publishPath } from '../../../src/adapters/pubsub/publisher.ts';
import type { OutgoingMessage } from '../../../src/notification/notification.store.ts';
import { createMessage } from '../../contracts/publisher.contract.ts';

const messageAbout = (bucketId: string, objectId: string): OutgoingMessage =>
  createMessage('//pubsub.test/projects/my-project/topics/photos', { attributes: { bucketId, objectId } });

test('publishPath follows the discovery document and escapes each segment', () => {
  expect(publishPath('//pubsub.test:8085/projects/example.com:my-project/topics/with.dots~and+more%2F')).toBe(
    '/v1/projects/example.com%3Amy-project/topics/with.dots~and%2Bmore%252F:publish',
  );
  expect(hostOfTopic('//pubsub.test:8085/projects/p/topics/t')).toBe('pubsub.test:8085');
});

test('orderingKeyOf returns at most 1,024 bytes and a different key for each object', () => {
  // The longest name of a bucket. With a slash and an object name of 801 bytes, a key has 1,024 bytes.
  const bucket = 'b'.repeat(222);
  const objectNames = [
    ...['cat.jpg', 'cat.jpg/', '/cat.jpg', 'Cat.jpg', '🙂', 'é', 'e\u0301', 'a b', '#[]*?', '\t'],
    ...[801, 802, 1023, 1024].map((length) => 'x'.repeat(length)),
    ...[200, 201, 256].map((length) => '🙂'.repeat(length)),
    `${'🙂'.repeat(255)}🙃`,
  ];
  const messages = [bucket, 'photos'].flatMap((bucketId) =>
    objectNames.map((name) => messageAbout(bucketId, name)),
  );
  const digests = messages.map(orderingKeyOf).filter((key) => !key.includes('/'));
  const bucketNameFromKey = (key: string): string => key.slice(0, 63).replace(':', '-');
  const messagesNamedLikeKeys = digests.flatMap((key) => [
    messageAbout('photos', key),
    messageAbout(bucketNameFromKey(key), 'x'),
  ]);
  const keys = new Set([...messages, ...messagesNamedLikeKeys].map(orderingKeyOf));
  expect(digests.length).toBeGreaterThan(5);
  expect(keys.size).toBe(messages.length + 2 * digests.length);
  for (const key of keys) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(1024);
  expect(orderingKeyOf(messageAbout(bucket, 'x'.repeat(801)))).toBe(`${bucket}/${'x'.repeat(801)}`);
  expect(orderingKeyOf(messageAbout(bucket, 'x'.repeat(802)))).toMatch(/^sha256:[0-9a-f]{64}$/);
});
