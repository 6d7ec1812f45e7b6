import type { ServerResponse } from 'node:http';
import { BodyBudget } from '../body-budget.ts';
import type { StreamEvent } from '../face.ts';

/** How often a silent stream says that it lives: within the 15 s in which a silent connection is cut. */
const pingMs = 12_000;
/** How long a client that does not name another pause should wait before it opens a stream again. */
const retryMs = 2_000;

/** An event did not get through to its client in time, or too much was waiting for that. */
export class SlowReaderError extends Error {}

/**
 * Writes events to one client (server-sent events as GraphQL over SSE has them), each when the one before has left this
 * process: nothing waits for a slow reader but the event at hand.
 */
export class EventWriter {
  readonly #raw: ServerResponse;
  readonly #budget: BodyBudget;
  readonly #caller: string;
  readonly #stallMs: number;
  readonly #ping: NodeJS.Timeout;

  /** `stallMs`: how long a client may take to read one event. */
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

  /** With `complete` there is nothing more to come; without, a client should open the stream again. */
  end(complete: boolean): void {
    clearInterval(this.#ping);
    this.#raw.end(complete ? 'event: complete\ndata:\n\n' : undefined);
  }

  /** Ends the connection as it is. */
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
      const timer = setTimeout(settle(() => reject(new SlowReaderError())), this.#stallMs);
      this.#raw.on('close', closed);
      this.#raw.write(event, closed);
    });
  }
}
