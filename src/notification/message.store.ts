import type { OutboxItem } from '../outbox/outbox.store.ts';

/** A message on its way to a topic. Its body is a JSON string, or empty. */
export interface OutgoingMessage extends OutboxItem {
  /** In full form: `//host/projects/P/topics/T`. */
  readonly topic: string;
}

/** A published message and its position in the log. */
export interface LoggedMessage extends OutgoingMessage {
  /** Grows from message to message of a topic. A message is never added before a position that somebody has read up to. */
  readonly position: number;
}

/** Messages of a topic, oldest first. */
export interface LogPage {
  readonly messages: readonly LoggedMessage[];
  /** The position up to which the log was read: messages that are published later come behind it. */
  readonly end: number;
}

/** The newest messages of each topic, in the order of their first deliveries. The outbox adds them. */
export interface MessageLog {
  /** All stored messages of a topic. */
  read(topic: string): Promise<LogPage>;
  /** Up to `limit` messages behind a position; undefined when one of them is not stored any more. */
  readBehind(topic: string, position: number, limit: number): Promise<LogPage | undefined>;
  /**
   * Reports, at least once for all that came since, the topic of added messages and the name of a bucket that lost managers or was
   * deleted, until the returned function is called. Topics begin with `//`, so that no bucket is named like one. `anyKey`: any
   * topic and bucket may have changed.
   */
  watch(onChange: (key: string) => void): () => void;
}
