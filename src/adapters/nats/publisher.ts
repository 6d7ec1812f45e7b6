import {
  jetstream,
  type JetStreamClient,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { splitTopic } from '../../core/text/google-names.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import { type Destination, doneResult, type Publisher } from '../../outbox/destination.ts';
import { brokerName, brokerCapacity } from '../../outbox/outbox.store.ts';

/** Stream of JetStream that holds the messages of all topics. */
export const streamName = 'OBJECT_CHANGES';

/** Limit for connecting and for each request to the broker. */
const timeoutMs = 2000;
/** Time for which the stream recognizes duplicates by their ids. */
const duplicateWindowNs = 2 * 60 * 1_000_000_000;

export const createNatsDestination = (url: string): Destination<OutgoingMessage> => ({
  name: brokerName,
  kind: 'nats',
  publisher: createNatsPublisher(url),
  accepts: () => true,
  capacity: brokerCapacity,
  pauses: { firstMs: 100, maxMs: 5000 },
  maxConcurrentKeys: 64,
});

/** Publishes to NATS JetStream with the headers `Nats-Msg-Id`, `topic`, and `attributes` as ASCII JSON. Creates the stream if missing. */
export function createNatsPublisher(url: string): Publisher<OutgoingMessage> {
  const { host, username, password } = new URL(url);
  let connection: NatsConnection | undefined;
  let currentClient: Promise<JetStreamClient> | undefined;

  async function openClient(): Promise<JetStreamClient> {
    if (!connection || connection.isClosed()) {
      connection = await connect({
        servers: host,
        ...(username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
        timeout: timeoutMs,
        // Reconnects without end, every 250 ms.
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
      });
    }
    const manager = await jetstreamManager(connection, { timeout: timeoutMs });
    await manager.streams.add({
      name: streamName,
      subjects: [allSubjects],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      duplicate_window: duplicateWindowNs,
    });
    return jetstream(connection, { timeout: timeoutMs });
  }

  return {
    async publish(message, abortSignal) {
      const attemptClient = (currentClient ??= openClient());
      try {
        const client = await attemptClient;
        abortSignal.throwIfAborted();
        await client.publish(subjectOf(message.topic), message.data, {
          msgID: message.id,
          headers: buildHeaders(message),
        });
        return doneResult;
      } catch (error) {
        // The next attempt opens connection and stream again, unless another attempt already does.
        if (currentClient === attemptClient) currentClient = undefined;
        throw error;
      }
    },
    async close() {
      await connection?.close();
    },
  };
}

/** Subjects of all topics, as `subjectOf` builds them. */
const allSubjects = 'projects.*.topics.*';

/** The subject `projects.P.topics.T` of a topic, with percent-encoded names. The host is left out: the broker is the host. */
export function subjectOf(topic: string): string {
  const { project, name } = splitTopic(topic);
  return `projects.${encodeToken(project)}.topics.${encodeToken(name)}`;
}

/** Percent-encodes a name, so that a dot in it does not divide the subject. */
const encodeToken = (name: string): string =>
  name.replace(
    /[^A-Za-z0-9_~+-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

function buildHeaders({ topic, attributes }: OutgoingMessage) {
  const natsHeaders = headers();
  natsHeaders.set('topic', topic);
  natsHeaders.set('attributes', toAsciiJson(attributes));
  return natsHeaders;
}

/** JSON in ASCII, since header lines cannot hold other characters. */
const toAsciiJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (codeUnit) => `\\u${codeUnit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
