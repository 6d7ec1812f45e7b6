import type { ServerResponse } from 'node:http';
import { BodyBudget } from '../body-budget.ts';
import type { StreamEvent } from '../face.ts';

/** How often (ms) a silent stream sends a comment: sooner than a silent connection is cut (15 s). */
const pingMs = 12_000;
/** How long (ms) a client waits before it opens a stream again, unless it has a pause of its own. */
const retryMs = 2_000;

/** A client did not read an event in time, or too many bytes wait for slow clients. */
export class SlowReaderError extends Error {}

/**
 * Writes server-sent events to one client (in the form of GraphQL over SSE), each when the one before has left this process:
 * a slow reader holds one event in memory.
 */
export class EventWriter {
  readonly #raw: ServerResponse;
  readonly #budget: BodyBudget;
  readonly #caller: string;
  readonly #stallMs: number;
  readonly #ping: NodeJS.Timeout;

  /** `stallMs`: how long (ms) a client may take to read one event. */
  constructor(raw: ServerResponse, budget: BodyBudget, caller: string, stallMs: number) {
    this.#raw = raw;
    this.#budget = budget;
    this.#caller = caller;
    this.#stallMs = stallMs;
    raw.write(`retry: ${retryMs}\n\n`); // some browsers want to see a byte before they call it open
    this.#ping = setInterval(() => raw.writableLength === 0 && raw.write(':\n\n'), pingMs);
  }

  /** Resolves when the event has left, or the client has. Throws SlowReaderError. */
  async next({ id, data }: StreamEvent): Promise<void> {
    const event = Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: next\ndata: ${data}\n\n`);
    const bytes = BodyBudget.costOf(event);
    if (!this.#budget.take(this.#caller, bytes)) throw new SlowReaderError();
    try {
      await this.#write(event);
    } finally {
      this.#budget.give(this.#caller, bytes);
    }
  }

  /** `complete` tells the client not to open the stream again. */
  end(complete: boolean): void {
    clearInterval(this.#ping);
    this.#raw.end(complete ? 'event: complete\ndata:\n\n' : undefined);
  }

  /** Closes the connection without an ending. */
  cut(): void {
    clearInterval(this.#ping);
    this.#raw.destroy();
  }

  #write(event: Buffer): Promise<void> {
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
      this.#raw.write(event, closed);
    });
  }
}
