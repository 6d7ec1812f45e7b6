import {
  jetstream,
  type JetStreamClient,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { topicParts } from '../../core/text/google-names.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import { type Destination, done, type Publisher } from '../../outbox/destination.ts';
import { broker, brokerRoom } from '../../outbox/outbox.store.ts';

export const streamName = 'OBJECT_CHANGES';

const timeoutMs = 2000;
/** The period in which the broker drops a second message with the same id (ns). */
const duplicateWindow = 2 * 60 * 1_000_000_000;

/** The message broker at a URL. */
export const natsDestination = (url: string): Destination<OutgoingMessage> => ({
  name: broker,
  kind: 'nats',
  publisher: createNatsPublisher(url),
  takes: () => true,
  room: brokerRoom,
  pauses: { first: 100, longest: 5000 },
});

/**
 * Publishes to NATS JetStream. The subject comes from the topic's name; the body is the message's data; the headers
 * are `Nats-Msg-Id`, `topic`, and `attributes` as JSON in ASCII. Connects on the first message and reconnects by itself;
 * creates the stream where there is none.
 */
export function createNatsPublisher(url: string): Publisher<OutgoingMessage> {
  const { host, username, password } = new URL(url);
  let connection: NatsConnection | undefined;
  let opening: Promise<JetStreamClient> | undefined;

  async function open(): Promise<JetStreamClient> {
    if (!connection || connection.isClosed()) {
      connection = await connect({
        servers: host,
        ...(username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
        timeout: timeoutMs,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
      });
    }
    const manager = await jetstreamManager(connection, { timeout: timeoutMs });
    await manager.streams.add({
      name: streamName,
      subjects: [subjectsOfAll],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      duplicate_window: duplicateWindow,
    });
    return jetstream(connection, { timeout: timeoutMs });
  }

  return {
    async publish(message, signal) {
      const opened = (opening ??= open());
      try {
        const client = await opened;
        signal.throwIfAborted();
        await client.publish(subjectOf(message.topic), message.data, {
          msgID: message.id,
          headers: headersOf(message),
        });
        return done;
      } catch (error) {
        // The next attempt checks the connection and the stream, unless another one does by now.
        if (opening === opened) opening = undefined;
        throw error;
      }
    },
    async close() {
      await connection?.close();
    },
  };
}

/** The pattern of the subjects of all topics. */
const subjectsOfAll = 'projects.*.topics.*';

/**
 * The subject of a topic: `//host/projects/P/topics/T` becomes `projects.P.topics.T`. What a subject's token cannot
 * hold is percent-encoded. The host is left out: the broker is the host.
 */
export function subjectOf(topic: string): string {
  const { project, name } = topicParts(topic);
  return `projects.${token(project)}.topics.${token(name)}`;
}

const token = (name: string): string =>
  name.replace(
    /[^A-Za-z0-9_~+-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/** Headers of a message. The attributes are one JSON text, because a header name cannot hold every attribute name. */
function headersOf({ topic, attributes }: OutgoingMessage) {
  const result = headers();
  result.set('topic', topic);
  result.set('attributes', asciiJson(attributes));
  return result;
}

/** JSON without characters that a header line cannot hold. */
const asciiJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
