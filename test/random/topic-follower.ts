import { messagePublished, type Opened, type Streams } from '../http/streams/stream.harness.ts';

/** A message as a stream tells it. */
export interface ToldMessage {
  readonly messageId: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Follows a topic, and comes and goes: each time behind the message that was read last. */
export class TopicFollower {
  readonly as: string;
  readonly topic: string;
  readonly told: ToldMessage[] = [];
  /** What ended the stream other than leaving. */
  failure: unknown;
  /** Everything that was published behind this tick is to be told. */
  since = Infinity;
  #stream: Opened | undefined;

  constructor(as: string, topic: string) {
    this.as = as;
    this.topic = topic;
  }

  get isHere(): boolean {
    return this.#stream !== undefined;
  }

  /** Resolves when the stream is open: from then on it tells everything. */
  async come(streams: Streams, tick: () => number): Promise<void> {
    const lastEventId = this.told.at(-1)?.messageId;
    const stream = await streams.open(messagePublished(this.topic), { as: this.as, lastEventId });
    if (lastEventId === undefined) this.since = tick();
    this.#stream = stream;
    void this.#read(stream);
  }

  leave(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  async #read(stream: Opened): Promise<void> {
    for (;;) {
      const event = await stream.next().catch((error: unknown) => ({ data: { error } }));
      if (stream !== this.#stream) return; // what was not read is told again
      const message = (event?.data as { data?: { messagePublished: ToldMessage } } | undefined)?.data
        ?.messagePublished;
      if (!message) {
        this.failure = event?.data ?? 'the stream has ended';
        return;
      }
      this.told.push(message);
    }
  }
}
