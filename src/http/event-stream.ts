import type { ServerResponse } from 'node:http';
import { BodyBudget } from './body.ts';
import type { Framing, StreamEvent } from './face.ts';

/** How often (ms) a silent stream sends a heartbeat: clients are promised 12 s, and a silent connection is cut after 15 s. */
const heartbeatMs = 10_000;

/** A client did not read an event in time, or too many bytes wait for slow clients. */
export class SlowReaderError extends Error {}

/** Writes events to one client, each when the one before has left this process: a slow reader holds one event in memory. */
export class EventWriter {
  readonly #raw: ServerResponse;
  readonly #framing: Framing;
  readonly #budget: BodyBudget;
  readonly #caller: string;
  readonly #stallMs: number;
  readonly #heartbeats: NodeJS.Timeout;
  #isEnded = false;

  /** `stallMs`: how long (ms) a client may take to read one event. */
  constructor(raw: ServerResponse, framing: Framing, budget: BodyBudget, caller: string, stallMs: number) {
    this.#raw = raw;
    this.#framing = framing;
    this.#budget = budget;
    this.#caller = caller;
    this.#stallMs = stallMs;
    raw.write(framing.start);
    this.#heartbeats = setInterval(
      () => raw.writableLength === 0 && raw.write(framing.heartbeat),
      heartbeatMs,
    );
  }

  /** Resolves when the event has left, or the client has; the last one takes the end with it. Throws SlowReaderError. */
  async next(event: StreamEvent): Promise<void> {
    this.#isEnded = event.isEnd === true;
    const text = Buffer.from(this.#framing.frame(event) + (this.#isEnded ? this.#framing.end : ''));
    const bytes = BodyBudget.costOf(text);
    if (!this.#budget.take(this.#caller, bytes)) throw new SlowReaderError();
    try {
      await this.#write(text);
    } finally {
      this.#budget.give(this.#caller, bytes);
    }
  }

  /** `complete` tells the client not to open the stream again. */
  end(complete: boolean): void {
    clearInterval(this.#heartbeats);
    this.#raw.end(complete && !this.#isEnded ? this.#framing.end : undefined);
  }

  /** Closes the connection without an ending. */
  cut(): void {
    clearInterval(this.#heartbeats);
    this.#raw.destroy();
  }

  #write(text: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => (): void => {
        clearTimeout(timer);
        this.#raw.off('close', closed);
        finish();
      };
      const closed = settle(resolve);
      const timer = setTimeout(
        settle(() => reject(new SlowReaderError())),
        this.#stallMs,
      );
      this.#raw.on('close', closed);
      this.#raw.write(text, closed);
    });
  }
}
