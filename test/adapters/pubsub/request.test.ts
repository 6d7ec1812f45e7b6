import { bodyOf, hostOf, orderingKeyOf, pathOf } from '../../../src/adapters/pubsub/request.ts';
import type { OutgoingMessage } from '../../../src/notification/message.store.ts';
import { messageOn } from '../../contracts/publisher.contract.ts';

const about = (bucketId: string, objectId: string): OutgoingMessage =>
  messageOn('//pubsub.test/projects/my-project/topics/photos', {
    attributes: { bucketId, objectId },
    data: '{"ü":"🙂"}',
  });

test('the path is that of the discovery document, each part a segment of its own', () => {
  expect(pathOf('//pubsub.test:8085/projects/example.com:my-project/topics/with.dots~and+more%2F')).toBe(
    '/v1/projects/example.com%3Amy-project/topics/with.dots~and%2Bmore%252F:publish',
  );
  expect(hostOf('//pubsub.test:8085/projects/p/topics/t')).toBe('pubsub.test:8085');
});

test('the body has one message: data in base64, the attributes, the ordering key', () => {
  const message = about('photos', 'cat.jpg');
  expect(JSON.parse(bodyOf(message))).toEqual({
    messages: [
      { data: 'eyLDvCI6IvCfmYIifQ==', attributes: message.attributes, orderingKey: 'photos/cat.jpg' },
    ],
  });
});

test('ordering keys have at most 1,024 bytes, whatever the object is called, and no two objects share one', () => {
  const bucket = 'b'.repeat(222);
  const names = [
    'cat.jpg',
    'cat.jpg/',
    '/cat.jpg',
    'Cat.jpg',
    '🙂',
    'é',
    'e\u0301',
    'a b',
    '#[]*?',
    '\t',
    'x'.repeat(801),
    'x'.repeat(802),
    'x'.repeat(1023),
    'x'.repeat(1024),
    '🙂'.repeat(200),
    '🙂'.repeat(201),
    '🙂'.repeat(256),
    `${'🙂'.repeat(255)}🙃`,
  ];
  const objects = [
    ...names.map((name) => about(bucket, name)),
    ...names.map((name) => about('photos', name)),
  ];
  const digests = objects.map(orderingKeyOf).filter((key) => !key.includes('/'));
  const keys = new Set(
    [
      ...objects,
      ...digests.map((key) => about('photos', key)),
      ...digests.map((key) => about(key.slice(0, 63).replace(':', '-'), 'x')),
    ].map(orderingKeyOf),
  );
  expect(digests.length).toBeGreaterThan(5);
  expect(keys.size).toBe(objects.length + 2 * digests.length);
  for (const key of keys) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(1024);
  expect(orderingKeyOf(about(bucket, 'x'.repeat(801)))).toBe(`${bucket}/${'x'.repeat(801)}`);
  expect(orderingKeyOf(about(bucket, 'x'.repeat(802)))).toMatch(/^sha256:[0-9a-f]{64}$/);
});
