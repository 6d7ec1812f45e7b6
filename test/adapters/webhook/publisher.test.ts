import { getEventListeners, getMaxListeners } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { createWebhookPublisher } from '../../../src/adapters/webhook/publisher.ts';
import { createMessages } from '../../../src/notification/publishing/message.ts';
import type { OutgoingMessage } from '../../../src/notification/notification.store.ts';
import type { DeliveryResult } from '../../../src/outbox/destination.ts';
import { createMessage, neverAborted, publisherContract } from '../../contracts/publisher.contract.ts';
import {
  createTestPublisher,
  verifyEvent,
  rules,
  secret,
  startReceiver,
  type ReceivedRequest,
  type Receiver,
} from './receiver.ts';

const toReceivedMessage = (received: ReceivedRequest) => {
  const { id, attributes, data } = verifyEvent(received);
  return {
    id,
    attributes: JSON.parse(attributes as string) as Record<string, string>,
    data: data === undefined ? '' : JSON.stringify(data),
  };
};

const receivers: Receiver[] = [];
const openReceiver: typeof startReceiver = async (respond) => {
  const receiver = await startReceiver(respond);
  receivers.push(receiver);
  return receiver;
};
afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));

publisherContract(
  'a webhook',
  async () => {
    const endpointsByTopic = new Map<
      string,
      Promise<readonly [Receiver, ReturnType<typeof createTestPublisher>]>
    >();
    const openEndpoint = async (): Promise<readonly [Receiver, ReturnType<typeof createTestPublisher>]> => {
      const receiver = await openReceiver();
      return [receiver, createTestPublisher(receiver.url)];
    };
    return {
      publisher: {
        async publish(message, signal) {
          if (!endpointsByTopic.has(message.topic)) endpointsByTopic.set(message.topic, openEndpoint());
          const [, publisher] = await (endpointsByTopic.get(message.topic) as ReturnType<
            typeof openEndpoint
          >);
          return publisher.publish(message, signal);
        },
        close: async () => {
          for (const pair of endpointsByTopic.values()) await (await pair)[1].close();
        },
      },
      waitForMessages: async (onTopic) =>
        (await endpointsByTopic.get(onTopic))?.[0].received.map(toReceivedMessage) ?? [],
    };
  },
  { hasDeduplication: false },
);

const objectChange = {
  objectId: 'albums/cat ü.jpg',
  objectGeneration: '17',
  eventTime: '2027-01-02T03:04:05.678901Z',
  object: { name: 'albums/cat ü.jpg', size: '5' },
} as const;
const topic = '//pubsub.test/projects/my-project/topics/photos';
const messageOf = (
  eventType: Parameters<typeof createMessages>[1]['eventType'],
  payload_format: 'JSON_API_V1' | 'NONE' = 'JSON_API_V1',
): OutgoingMessage => {
  const notification = { id: '3', topic, payload_format, custom_attributes: { team: 'cats' } };
  const id = '0b7c1e52-8d3f-4a0c-9e63-6f1f7a1f2b10';
  return createMessages('photos', { ...objectChange, eventType }, id, [notification])[0] as OutgoingMessage;
};

/** Delivers a message to a new receiver, and returns the request. */
async function deliver(message: OutgoingMessage, secrets = [secret]): Promise<ReceivedRequest> {
  const receiver = await openReceiver();
  const publisher = createWebhookPublisher({ url: receiver.url, secrets }, { rules });
  expect(await publisher.publish(message, neverAborted)).toEqual({ outcome: 'done' });
  await publisher.close();
  return receiver.received[0] as ReceivedRequest;
}

describe('a webhook request', () => {
  test('is a POST of a CloudEvent to the URL including its query', async () => {
    const message = messageOf('OBJECT_FINALIZE');
    const received = await deliver(message);
    expect(received).toMatchObject({ method: 'POST', path: '/hook?token=hidden' });
    expect(received.headers).toMatchObject({
      'content-type': 'application/cloudevents+json',
      'content-length': `${Buffer.byteLength(received.body)}`,
      'webhook-id': message.id,
    });
    verifyEvent(received);
    expect(JSON.parse(received.body)).toEqual({
      specversion: '1.0',
      id: message.id,
      type: 'google.cloud.storage.object.v1.finalized',
      source: '//storage.googleapis.com/projects/_/buckets/photos',
      subject: 'objects/albums/cat ü.jpg',
      time: '2027-01-02T03:04:05.678901Z',
      bucket: 'photos',
      attributes: JSON.stringify(message.attributes),
      datacontenttype: 'application/json',
      data: objectChange.object,
    });
  });

  test.each([
    ['OBJECT_FINALIZE', 'finalized'],
    ['OBJECT_DELETE', 'deleted'],
    ['OBJECT_ARCHIVE', 'archived'],
    ['OBJECT_METADATA_UPDATE', 'metadataUpdated'],
  ] as const)('of %s has the type %s', async (eventType, kind) => {
    expect(verifyEvent(await deliver(messageOf(eventType))).type).toBe(
      `google.cloud.storage.object.v1.${kind}`,
    );
  });

  test('has neither data nor datacontenttype if the notification has no payload', async () => {
    const received = await deliver(messageOf('OBJECT_DELETE', 'NONE'));
    verifyEvent(received);
    const names = Object.keys(JSON.parse(received.body) as object);
    expect(names.filter((name) => name.startsWith('data'))).toEqual([]);
  });

  test('has the JSON of the object unchanged', async () => {
    const data = '{"size":12345678901234567890,"a":1.0,"é":"\\u00e9"}';
    expect((await deliver(createMessage('t', { data }))).body).toContain(`"data":${data}}`);
  });

  test('has attributes as a text that CloudEvents allow', async () => {
    const attributes = { 'a\u0001\u007f\u0085': '\ufffe\u{1fffe}\ufdd0\ud800 🙂' };
    const { body } = await deliver(createMessage('t', { attributes }));
    const text = (JSON.parse(body) as { attributes: string }).attributes;
    expect(text).not.toMatch(/[\0-\x1f\x7f-\x9f]|\p{Noncharacter_Code_Point}|\p{Surrogate}/u);
    expect(JSON.parse(text)).toEqual(attributes);
  });

  test('is signed with each secret, at the time of the attempt', async () => {
    const secrets = [secret, Buffer.alloc(24, 1), Buffer.alloc(64, 2)];
    const { headers, body } = await deliver(messageOf('OBJECT_FINALIZE'), secrets);
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44} v1,\S{44}$/);
    const verify = (key: Buffer, text = body): unknown =>
      new Webhook(`whsec_${key.toString('base64')}`).verify(text, headers as Record<string, string>);
    for (const key of secrets) verify(key);
    expect(() => verify(Buffer.alloc(24, 3))).toThrow('No matching signature');
    expect(() => verify(secret, `${body} `)).toThrow('No matching signature');
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
  });
});

describe('a response', () => {
  const now = Date.parse('2027-01-01T00:00:00Z');
  const tryAgain = (status: number): DeliveryResult => ({
    outcome: 'again',
    cause: expect.objectContaining({ message: `answered with ${status}` }),
  });
  const pauseFor = (status: number, seconds: number): DeliveryResult =>
    ({ ...tryAgain(status), outcome: 'pause', until: now + seconds * 1000 }) as DeliveryResult;

  test.each<[number, string | undefined, DeliveryResult]>([
    [200, undefined, { outcome: 'done' }],
    [204, '30', { outcome: 'done' }],
    [299, undefined, { outcome: 'done' }],
    [300, undefined, tryAgain(300)],
    [307, '30', pauseFor(307, 30)],
    [400, undefined, tryAgain(400)],
    [410, undefined, { outcome: 'off', cause: expect.objectContaining({ message: 'answered with 410' }) }],
    [410, '30', { outcome: 'off', cause: expect.anything() }],
    [429, '120', pauseFor(429, 120)],
    [429, '0', tryAgain(429)],
    [500, undefined, tryAgain(500)],
    // A pause lasts at most a day.
    [503, '86401', pauseFor(503, 86_400)],
    [503, '9'.repeat(400), pauseFor(503, 86_400)],
    [503, 'Fri, 01 Jan 2027 01:00:00 GMT', pauseFor(503, 3600)],
    [503, 'Friday, 01-Jan-27 01:00:00 GMT', pauseFor(503, 3600)],
    [503, 'Fri Jan  1 01:00:00 2027', pauseFor(503, 3600)],
    [503, 'Mon, 01 Feb 2027 00:00:00 GMT', pauseFor(503, 86_400)],
    [503, 'Thu, 31 Dec 2026 00:00:00 GMT', tryAgain(503)],
    [503, '-5', tryAgain(503)],
    [503, '2027', pauseFor(503, 2027)],
    [503, 'soon', tryAgain(503)],
    [999, undefined, tryAgain(999)],
  ])('of %i with Retry-After %s decides the outcome', async (status, retryAfter, expected) => {
    const retryAfterHeader = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    const receiver = await openReceiver((_request, response) =>
      response.writeHead(status, { location: receiver.url.href, ...retryAfterHeader }).end(),
    );
    const publisher = createTestPublisher(receiver.url, { clock: () => now });
    expect(await publisher.publish(createMessage('t'), neverAborted)).toEqual(expected);
    expect(receiver.received).toHaveLength(1);
    await publisher.close();
  });
});

test('connections are kept alive, and replaced if the server closed them', async () => {
  const receiver = await openReceiver();
  const publisher = createTestPublisher(receiver.url);
  const publish = () => publisher.publish(createMessage('t'), neverAborted);
  await publish();
  await publish();
  expect(receiver.connections()).toBe(1);
  await publisher.close();

  let requestCount = 0;
  const closingReceiver = await openReceiver((request, response) => {
    // The second request finds its connection closed.
    if ((requestCount += 1) === 2) request.socket.destroy();
    else response.writeHead(200, { 'content-length': 0 }).end();
  });
  const otherPublisher = createTestPublisher(closingReceiver.url);
  for (let index = 0; index < 2; index += 1)
    expect(await otherPublisher.publish(createMessage('t'), neverAborted)).toEqual({ outcome: 'done' });
  expect(closingReceiver.connections()).toBe(2);
  await otherPublisher.close();
});

test('a signal shared by many attempts keeps no listeners', async () => {
  const receiver = await openReceiver();
  const publisher = createTestPublisher(receiver.url);
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 30 }, () => publisher.publish(createMessage('t'), signal)));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  // Node warns of a leak beyond this number of listeners.
  expect(getMaxListeners(signal)).toBe(Infinity);
  await publisher.close();
});
