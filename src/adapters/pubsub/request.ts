import { createHash } from 'node:crypto';
import { topicParts } from '../../core/text/topic.ts';
import type { OutgoingMessage } from '../../notification/message.store.ts';

/** The host of a topic, as `//host/projects/P/topics/T` has it. */
export const hostOf = (topic: string): string => topicParts(topic).host;

/** The path of the method `topics.publish` of Pub/Sub's REST API. Each part is one segment, whatever is in it. */
export function pathOf(topic: string): string {
  const { project, name } = topicParts(topic);
  return `/v1/projects/${encodeURIComponent(project)}/topics/${encodeURIComponent(name)}:publish`;
}

/**
 * The body of `topics.publish` for one message. All messages of a request must have the same ordering key, and the outbox
 * hands out one message of a key at a time: so a request never has two. Pub/Sub refuses messages without data and without
 * attributes; these always have attributes.
 */
export function bodyOf(message: OutgoingMessage): string {
  const { attributes, data } = message;
  const encoded = data === '' ? {} : { data: Buffer.from(data).toString('base64') };
  return JSON.stringify({ messages: [{ ...encoded, attributes, orderingKey: orderingKeyOf(message) }] });
}

const longestKey = 1024;

/**
 * One key for each object of a bucket: its bucket, a slash and its name, or a digest of that where it is longer than keys may be.
 * A digest is the key of no other object: it has no slash. Names of buckets have none.
 */
export function orderingKeyOf({ attributes: { bucketId = '', objectId = '' } }: OutgoingMessage): string {
  const key = `${bucketId}/${objectId}`;
  return Buffer.byteLength(key) <= longestKey
    ? key
    : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}
