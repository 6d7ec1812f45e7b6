import { getEventListeners, getMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { authorizeWithoutCredentials } from '../../../src/adapters/pubsub/credentials.ts';
import { createPubSubPublisher, type PubSubDependencies } from '../../../src/adapters/pubsub/publisher.ts';
import type { OutgoingMessage } from '../../../src/notification/notification.store.ts';
import type { DeliveryResult } from '../../../src/outbox/destination.ts';
import { neverAborted, createMessage, publisherContract } from '../../contracts/publisher.contract.ts';
import { eventually } from '../../eventually.ts';
import { toReceivedMessage, refuse, startPubSubServer, type Respond } from './pubsub-server.ts';
import { useCloser, useForEach } from '../../use-resource.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const topicName = 'projects/my-project/topics/photos';

const server = useForEach(startPubSubServer);
const closeLater = useCloser();
const openPublisher = (overrides: Partial<PubSubDependencies> = {}) =>
  closeLater(
    createPubSubPublisher({
      endpoint: `http://${server.host}`,
      authorize: authorizeWithoutCredentials,
      ...overrides,
    }),
  );

const messageAbout = (objectId: string, onTopic = topic): OutgoingMessage =>
  createMessage(onTopic, { attributes: { bucketId: 'photos', objectId, eventType: 'OBJECT_FINALIZE' } });

/** Describes an outcome with the message of its cause. */
async function describeOutcome(delivery: Promise<DeliveryResult>): Promise<string> {
  try {
    const deliveryResult = await delivery;
    return 'cause' in deliveryResult
      ? `${deliveryResult.outcome}: ${deliveryResult.cause.message}`
      : deliveryResult.outcome;
  } catch (error) {
    return `again: ${(error as Error).message}`;
  }
}

// Pub/Sub has no message ids of publishers: tests send the id as an attribute.
publisherContract(
  'Pub/Sub',
  async () => {
    const ownServer = await startPubSubServer();
    const { publish, close } = createPubSubPublisher({
      endpoint: `http://${ownServer.host}`,
      authorize: authorizeWithoutCredentials,
    });
    return {
      publisher: {
        publish: (message, signal) =>
          publish({ ...message, attributes: { ...message.attributes, id: message.id } }, signal),
        close: async () => {
          await close();
          await ownServer.close();
        },
      },
      waitForMessages: async (fullTopic) =>
        ownServer.messagesOn(fullTopic.split('/').slice(3).join('/')).map(toReceivedMessage),
    };
  },
  { hasDeduplication: false },
);

test('a message has its own attributes only, and no data if its body is empty', async () => {
  const message = { ...messageAbout('cat.jpg'), data: '' };
  await openPublisher().publish(message, neverAborted);
  expect(server.messagesOn(topicName)).toEqual([
    { attributes: message.attributes, orderingKey: 'photos/cat.jpg' },
  ]);
});

test('only INVALID_ARGUMENT drops a message; other errors are tried again', async () => {
  const errorCases = [
    ['again', '404 NOT_FOUND, 403 PERMISSION_DENIED, 401 UNAUTHENTICATED, 429 RESOURCE_EXHAUSTED'],
    ['again', '500 INTERNAL, 499 CANCELLED, 400 FAILED_PRECONDITION'],
    ['again', '502 BAD_GATEWAY, 503 UNAVAILABLE, 504 DEADLINE_EXCEEDED'],
    ['never', '400 INVALID_ARGUMENT'],
  ].flatMap(([outcome, statusList = '']) =>
    statusList.split(', ').map((statusLine) => [outcome, ...statusLine.split(' ')]),
  );
  const publisher = openPublisher();
  for (const [outcome, status, statusName = ''] of errorCases) {
    server.respond = (response) => refuse(response, Number(status), statusName);
    const describedOutcome = await describeOutcome(publisher.publish(messageAbout('cat.jpg'), neverAborted));
    expect(describedOutcome).toBe(`${outcome}: Pub/Sub answered ${status} ${statusName}`);
  }
});

const retryOutcome = (status: number): string => `again: Pub/Sub answered ${status}`;
const invalidError = '{"error":{"status":["INVALID_ARGUMENT"]}}';
const redirect = { location: '/elsewhere' };
const endEarly: Respond = (response) =>
  response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy());
const createEndlessStream = (): Readable => Readable.from(generateEndlessText());
function* generateEndlessText(): Generator<string> {
  for (;;) yield 'x'.repeat(16_384);
}

test.each<[string, Respond, string]>([
  ['a success that is not JSON', (response) => response.writeHead(200).end('{"messageIds":'), 'done'],
  ['a success that ends too early', endEarly, 'done'],
  ['a success whose answer does not end', (response) => response.writeHead(200).write('{'), 'done'],
  ['an error with an unknown status', (response) => refuse(response, 400, 'The object'), retryOutcome(400)],
  ['an error that is not JSON', (response) => response.writeHead(400).end('<h1>400</h1>'), retryOutcome(400)],
  ['an error of an unknown form', (response) => response.writeHead(400).end(invalidError), retryOutcome(400)],
  ['an endless error', (response) => createEndlessStream().pipe(response.writeHead(503)), retryOutcome(503)],
  ['a redirect', (response) => response.writeHead(307, redirect).end(), retryOutcome(307)],
  ['a closed connection', (response) => response.destroy(), 'again: no response (UND_ERR_SOCKET)'],
])('a request answered by %s has the expected outcome', async (_, respond, outcome) => {
  server.respond = respond;
  expect(await describeOutcome(openPublisher().publish(messageAbout('cat.jpg'), neverAborted))).toBe(outcome);
  expect(server.requests).toHaveLength(1);
});

test('a refused connection is tried again', async () => {
  const publisher = openPublisher({ endpoint: 'http://127.0.0.1:1' });
  expect(await describeOutcome(publisher.publish(messageAbout('cat.jpg'), neverAborted))).toMatch(
    /^again: no response \(\w+\)$/,
  );
});

test('an invalid message is dropped, and concurrent ones arrive', async () => {
  const attributes = { bucketId: 'photos', objectId: 'long', note: 'x'.repeat(1025) };
  const tooLongMessage = createMessage(topic, { attributes });
  const publisher = openPublisher();
  const outcomes = await Promise.all(
    ['a', 'b', 'c'].map((object) =>
      publisher.publish(object === 'b' ? tooLongMessage : messageAbout(object), neverAborted),
    ),
  );
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['done', 'never', 'done']);
  expect(server.messagesOn(topicName)).toHaveLength(2);
});

describe('a silent topic', () => {
  const endedOutcome = 'again: ended with the gateway';
  const expectRequests = (count: number) =>
    eventually(async () => expect(server.requests).toHaveLength(count));
  const limits = { maxRequests: 3, maxProbes: 1, silentAfterMs: 60, maxWaitMs: 60_000, requestMs: 60_000 };
  const silenceTopic = (): void => {
    server.respond = (response, request) =>
      request.topic === topicName ? undefined : server.publish(response, request);
  };

  test('makes an attempt time out', async () => {
    silenceTopic();
    const attempt = openPublisher({ limits: { ...limits, requestMs: 100 } }).publish(
      messageAbout('cat.jpg'),
      neverAborted,
    );
    expect(await describeOutcome(attempt)).toBe('again: no response within 100 ms');
  });

  test('lets attempts end with the signal or the publisher, also those that wait for their turn', async () => {
    silenceTopic();
    const publisher = openPublisher({ limits: { ...limits, maxRequests: 1, silentAfterMs: 60_000 } });
    const endController = new AbortController();
    const attempts = ['a', 'b'].map((object) =>
      describeOutcome(publisher.publish(messageAbout(object), endController.signal)),
    );
    await expectRequests(1);
    endController.abort();
    expect(await Promise.all(attempts)).toEqual([endedOutcome, endedOutcome]);
    const lastOutcome = describeOutcome(publisher.publish(messageAbout('c'), neverAborted));
    await expectRequests(2);
    await publisher.close();
    expect(await lastOutcome).toBe(endedOutcome);
    expect(await describeOutcome(publisher.publish(messageAbout('d'), neverAborted))).toBe(endedOutcome);
  });
});

test('a signal shared by many attempts keeps no listeners', async () => {
  const { signal } = new AbortController();
  const publisher = openPublisher();
  const messages = Array.from({ length: 30 }, (_, index) => messageAbout(`object ${index}`));
  await Promise.all(messages.map((object) => publisher.publish(object, signal)));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  // Node warns of a leak beyond this number of listeners.
  expect(getMaxListeners(signal)).toBe(Infinity);
});
