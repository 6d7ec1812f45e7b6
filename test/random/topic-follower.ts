import { writeMessageSubscription, type OpenStream, type Streams } from '../http/streams/stream.harness.ts';

/** A message received from a stream. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Follows a topic, and reconnects after the last received message. */
export class TopicFollower {
  readonly as: string;
  readonly topic: string;
  readonly receivedMessages: ReceivedMessage[] = [];
  /** Reason of an unexpected end of the stream. */
  failure: unknown;
  /** Messages after this tick must be received. */
  sinceTick = Infinity;
  #stream: OpenStream | undefined;

  constructor(as: string, topic: string) {
    this.as = as;
    this.topic = topic;
  }

  get isConnected(): boolean {
    return this.#stream !== undefined;
  }

  /** Opens the stream; later messages must be received. */
  async connect(streams: Streams, tick: () => number): Promise<void> {
    const lastEventId = this.receivedMessages.at(-1)?.messageId;
    const stream = await streams.open(writeMessageSubscription(this.topic), { as: this.as, lastEventId });
    if (lastEventId === undefined) this.sinceTick = tick();
    this.#stream = stream;
    void this.#receiveMessages(stream);
  }

  disconnect(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  async #receiveMessages(stream: OpenStream): Promise<void> {
    for (;;) {
      const event = await stream.next().catch((error: unknown) => ({ data: { error } }));
      if (stream !== this.#stream) return; // unread messages are sent again after a reconnect
      const response = event?.data as { data?: { messagePublished: ReceivedMessage } } | undefined;
      const message = response?.data?.messagePublished;
      if (!message) {
        this.failure = event?.data ?? 'the stream has ended';
        return;
      }
      this.receivedMessages.push(message);
    }
  }
}
