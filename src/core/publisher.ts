/** A message on its way to a topic. */
export interface OutgoingMessage {
  /** Unique: a broker drops a second message with the same id. */
  readonly id: string;
  /** In full form: `//host/projects/P/topics/T`. */
  readonly topic: string;
  /** Messages with the same key are published in the order in which they were stored. */
  readonly orderingKey: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The body: JSON text, or empty. */
  readonly data: string;
}

/** Hands messages to a broker, at least once each. */
export interface Publisher {
  /** Resolves when the broker has the message safe; rejects when that is not certain. */
  publish(message: OutgoingMessage): Promise<void>;
  close(): Promise<void>;
}

/** Messages that are stored, but not published yet: all that a relay needs of a store. */
export interface Outbox {
  /** The oldest of them, in the order in which they were stored. */
  pendingMessages(limit: number): Promise<readonly OutgoingMessage[]>;
  markPublished(ids: readonly string[]): Promise<void>;
  backlog(): Promise<Backlog>;
}

export interface Backlog {
  readonly count: number;
  /** Epoch milliseconds at which the oldest was stored; absent when there is none. */
  readonly oldestAt?: number;
}

/** A message that was published, at its place in the topic's history. */
export interface LoggedMessage {
  readonly position: number;
  readonly message: OutgoingMessage;
}

/** The newest messages of each topic, for developers to look at. */
export interface MessageLog {
  add(message: OutgoingMessage): void;
  /** Those behind a position, oldest first. */
  read(topic: string, after: number): readonly LoggedMessage[];
}
