import { getEventListeners, getMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { nobody } from '../../../src/adapters/pubsub/credentials.ts';
import { createPubSubPublisher, type PubSubParts } from '../../../src/adapters/pubsub/publisher.ts';
import type { OutgoingMessage } from '../../../src/notification/notification.store.ts';
import type { Delivery } from '../../../src/outbox/destination.ts';
import { noEnd, messageOn, publisherContract } from '../../contracts/publisher.contract.ts';
import { eventually } from '../../eventually.ts';
import { arrivedOf, refuse, startPubSubServer, type Respond } from './pubsub-server.ts';
import { useCloser, useForEach } from '../../started.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const name = 'projects/my-project/topics/photos';

const server = useForEach(startPubSubServer);
const closeLater = useCloser();
const publisherOf = (parts: Partial<PubSubParts> = {}) =>
  closeLater(createPubSubPublisher({ endpoint: `http://${server.host}`, authorize: nobody, ...parts }));

/** A message about an object of a bucket. */
const about = (objectId: string, of = topic): OutgoingMessage =>
  messageOn(of, { attributes: { bucketId: 'photos', objectId, eventType: 'OBJECT_FINALIZE' } });

/** The outcome, with the words of its cause. */
async function outcomeOf(delivery: Promise<Delivery>): Promise<string> {
  try {
    const given = await delivery;
    return 'cause' in given ? `${given.outcome}: ${given.cause.message}` : given.outcome;
  } catch (error) {
    return `again: ${(error as Error).message}`;
  }
}

// Pub/Sub has no ids of publishers: the id goes with the attributes here, to tell messages apart.
publisherContract(
  'Pub/Sub',
  async () => {
    const of = await startPubSubServer();
    const { publish, close } = createPubSubPublisher({ endpoint: `http://${of.host}`, authorize: nobody });
    return {
      publisher: {
        publish: (message, signal) =>
          publish({ ...message, attributes: { ...message.attributes, id: message.id } }, signal),
        close: async () => {
          await close();
          await of.close();
        },
      },
      arrived: async (given) => of.on(given.split('/').slice(3).join('/')).map(arrivedOf),
    };
  },
  { knowsIds: false },
);

test('a message has its attributes and no others, and no data where its body is empty', async () => {
  const message = { ...about('cat.jpg'), data: '' };
  await publisherOf().publish(message, noEnd);
  expect(server.on(name)).toEqual([{ attributes: message.attributes, orderingKey: 'photos/cat.jpg' }]);
});

test('every answer is told apart: what passes or can be mended is tried again', async () => {
  const answers = [
    ['again', '404 NOT_FOUND, 403 PERMISSION_DENIED, 401 UNAUTHENTICATED, 429 RESOURCE_EXHAUSTED'],
    ['again', '500 INTERNAL, 499 CANCELLED, 400 FAILED_PRECONDITION'],
    ['again', '502 BAD_GATEWAY, 503 UNAVAILABLE, 504 DEADLINE_EXCEEDED'],
    ['never', '400 INVALID_ARGUMENT'],
  ].flatMap(([outcome, list = '']) => list.split(', ').map((answer) => [outcome, ...answer.split(' ')]));
  const publisher = publisherOf();
  for (const [outcome, status, word = ''] of answers) {
    server.respond = (response) => refuse(response, Number(status), word);
    const given = await outcomeOf(publisher.publish(about('cat.jpg'), noEnd));
    expect(given).toBe(`${outcome}: Pub/Sub answered ${status} ${word}`);
  }
});

const answered = (status: number): string => `again: Pub/Sub answered ${status}`;
const otherForm = '{"error":{"status":["INVALID_ARGUMENT"]}}';
const elsewhere = { location: '/elsewhere' };
const endsEarly: Respond = (response) =>
  response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy());
const endless = (): Readable => Readable.from(endlessText());
function* endlessText(): Generator<string> {
  for (;;) yield 'x'.repeat(16_384);
}

test.each<[string, Respond, string]>([
  ['a success that is not JSON', (response) => response.writeHead(200).end('{"messageIds":'), 'done'],
  ['a success that ends too early', endsEarly, 'done'],
  ['a success whose answer does not end', (response) => response.writeHead(200).write('{'), 'done'],
  ['an error with another word', (response) => refuse(response, 400, 'The object'), answered(400)],
  ['an error that is not JSON', (response) => response.writeHead(400).end('<h1>400</h1>'), answered(400)],
  ['an error of another form', (response) => response.writeHead(400).end(otherForm), answered(400)],
  ['an error without an end', (response) => endless().pipe(response.writeHead(503)), answered(503)],
  ['a way to somewhere else', (response) => response.writeHead(307, elsewhere).end(), answered(307)],
  ['a connection that ends', (response) => response.destroy(), 'again: no answer (UND_ERR_SOCKET)'],
])('%s', async (_, respond, outcome) => {
  server.respond = respond;
  expect(await outcomeOf(publisherOf().publish(about('cat.jpg'), noEnd))).toBe(outcome);
  expect(server.requests).toHaveLength(1);
});

test('nobody listens there', async () => {
  const publisher = publisherOf({ endpoint: 'http://127.0.0.1:1' });
  expect(await outcomeOf(publisher.publish(about('cat.jpg'), noEnd))).toMatch(/^again: no answer \(\w+\)$/);
});

test('a bad message is dropped, and those at its side arrive', async () => {
  const attributes = { bucketId: 'photos', objectId: 'long', note: 'x'.repeat(1025) };
  const long = messageOn(topic, { attributes });
  const publisher = publisherOf();
  const outcomes = await Promise.all(
    ['a', 'b', 'c'].map((object) => publisher.publish(object === 'b' ? long : about(object), noEnd)),
  );
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['done', 'never', 'done']);
  expect(server.on(name)).toHaveLength(2);
});

describe('a silent topic', () => {
  const ended = 'again: ended with the gateway';
  const asked = (count: number) => eventually(async () => expect(server.requests).toHaveLength(count));
  const limits = { most: 3, probes: 1, patience: 60, turn: 60_000, request: 60_000 };
  const silent = (): void => {
    server.respond = (response, request) =>
      request.topic === name ? undefined : server.publish(response, request);
  };

  test('is given up', async () => {
    silent();
    const attempt = publisherOf({ limits: { ...limits, request: 100 } }).publish(about('cat.jpg'), noEnd);
    expect(await outcomeOf(attempt)).toBe('again: no answer within 100 ms');
  });

  test('takes no more than its share: what waits for it is given up, and other topics go on', async () => {
    silent();
    const publisher = publisherOf({ limits });
    const attempts = Array.from({ length: 10 }, (_, index) =>
      outcomeOf(publisher.publish(about(`object ${index}`), noEnd)),
    );
    const waiting = new Set(await Promise.all(attempts.slice(3)));
    expect(waiting).toEqual(new Set(['again: the topic does not answer']));
    const other = about('dog.jpg', '//pubsub.test/projects/my-project/topics/other');
    expect(await publisher.publish(other, noEnd)).toEqual({ outcome: 'done' });
    await asked(4);
    await publisher.close();
    expect(new Set(await Promise.all(attempts))).toContain(ended);
  });

  test('attempts end with the signal, and with the publisher, those that wait for their turn too', async () => {
    silent();
    const publisher = publisherOf({ limits: { ...limits, most: 1, patience: 60_000 } });
    const ending = new AbortController();
    const attempts = ['a', 'b'].map((object) => outcomeOf(publisher.publish(about(object), ending.signal)));
    await asked(1);
    ending.abort();
    expect(await Promise.all(attempts)).toEqual([ended, ended]);
    const last = outcomeOf(publisher.publish(about('c'), noEnd));
    await asked(2);
    await publisher.close();
    expect(await last).toBe(ended);
    expect(await outcomeOf(publisher.publish(about('d'), noEnd))).toBe(ended);
  });
});

test('a signal that many attempts have is left as it was', async () => {
  const { signal } = new AbortController();
  const publisher = publisherOf();
  const objects = Array.from({ length: 30 }, (_, index) => about(`object ${index}`));
  await Promise.all(objects.map((object) => publisher.publish(object, signal)));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  // Node warns of a leak where more than these listen at the same time.
  expect(getMaxListeners(signal)).toBe(Infinity);
});
