import { mebibyte } from '../kernel/size.ts';

/** A message on its way to a topic. */
export interface OutgoingMessage {
  /** Unique: a broker drops a second message with the same id. */
  readonly id: string;
  /** In full form: `//host/projects/P/topics/T`. */
  readonly topic: string;
  /** Messages with the same key are published in the order in which they were stored. */
  readonly orderingKey: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The body: a JSON string, or empty. */
  readonly data: string;
}

/** Hands messages to a broker, at least once each. */
export interface Publisher {
  /** Resolves when the broker has the message safe; rejects when that is not certain. */
  publish(message: OutgoingMessage): Promise<void>;
  close(): Promise<void>;
}

/** A message that one gateway publishes now, and no other. */
export interface ClaimedMessage {
  readonly message: OutgoingMessage;
  /** How often it was claimed, this time included: it tells this claim from earlier and later ones. */
  readonly attempt: number;
}

/** A claim that is given up. */
export interface Release extends Pick<ClaimedMessage, 'attempt'> {
  readonly id: string;
  /** Milliseconds in which the message, and so those behind it, are not handed out again. */
  readonly delayMs: number;
}

/** Messages that are stored, but not published yet: all that a relay needs of a store. */
export interface Outbox {
  /**
   * Hands out up to `limit` messages that nobody else gets for `leaseMs`. A key gives its oldest messages, in order,
   * and none as long as its oldest one is claimed or was released with a delay that still runs. The limit is shared
   * fairly: each key gives its first message before any gives a second, and those that were served longest ago come
   * first. Keys whose oldest message was released with a delay take turns with the others. So no key holds up others,
   * however many messages it has, and no number of failing keys.
   */
  claim(limit: number, leaseMs: number): Promise<readonly ClaimedMessage[]>;
  /** Forgets messages, whoever claimed them. */
  markPublished(ids: readonly string[]): Promise<void>;
  /** Ends claims before their lease does; one that somebody else has by now is left alone. */
  release(releases: readonly Release[]): Promise<void>;
  backlog(): Promise<Backlog>;
}

/** There is no room for more messages: nothing was stored. */
export class OutboxFullError extends Error {}

/** How many bytes the messages that wait may take, as `bytesOf` estimates them; those of one change share their body. */
export interface OutboxLimits {
  readonly bytes: number;
  /** The most that the messages of one owner, a bucket, may take of it. */
  readonly bytesPerOwner: number;
}

export const outboxLimits: OutboxLimits = { bytes: 64 * mebibyte, bytesPerOwner: 16 * mebibyte };

export interface Backlog {
  readonly count: number;
  /** Epoch milliseconds at which the oldest was stored; absent when there is none. */
  readonly oldestAt?: number;
}

/** A published message with its place in the log. */
export interface LoggedMessage extends OutgoingMessage {
  /** Grows from message to message of a topic. Whoever has read up to a position never finds a new message before it. */
  readonly position: number;
}

/** Messages of a topic, oldest first. */
export interface LogPage {
  readonly messages: readonly LoggedMessage[];
  /** The position up to which the log was read: what is published later comes behind it. */
  readonly end: number;
}

/** The newest messages of each topic, in the order in which they were published. */
export interface MessageLog {
  /** A message that is known already changes nothing. */
  add(message: OutgoingMessage): void;
  /** All messages of a topic that are kept. */
  read(topic: string): Promise<LogPage>;
  /** Up to `limit` messages behind a position; undefined when a message behind it is not kept any more. */
  readBehind(topic: string, position: number, limit: number): Promise<LogPage | undefined>;
  /** Tells the topic of messages that were added, at least once for all that came since, until the function that comes back is called. */
  watch(onAdded: (topic: string) => void): () => void;
}
