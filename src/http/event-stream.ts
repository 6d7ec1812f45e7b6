import type { ServerResponse } from 'node:http';
import { BodyBudget } from './body-budget.ts';
import type { Framing, StreamEvent } from './face.ts';

/** How often (ms) a silent stream sends a heartbeat: clients are promised 12 s, and a silent connection is cut after 15 s. */
const heartbeatMs = 10_000;

/** A client did not read an event in time, or too many bytes wait for slow clients. */
export class SlowReaderError extends Error {}

export type EventWriter = ReturnType<typeof createEventWriter>;

/** Writes events to a client, each when the last one has left: a slow reader holds one in memory, for `stallMs` at most. */
export function createEventWriter(
  raw: ServerResponse,
  framing: Framing,
  budget: BodyBudget,
  caller: string,
  stallMs: number,
) {
  let isEnded = false;
  raw.write(framing.start);
  const heartbeats = setInterval(() => raw.writableLength === 0 && raw.write(framing.heartbeat), heartbeatMs);

  const write = (text: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (finish: () => void) => (): void => {
        clearTimeout(timer);
        raw.off('close', closed);
        finish();
      };
      const closed = settle(resolve);
      const timer = setTimeout(
        settle(() => reject(new SlowReaderError())),
        stallMs,
      );
      raw.on('close', closed);
      raw.write(text, closed);
    });

  return {
    /** Resolves when the event has left, or the client has; the last one takes the end with it. Throws SlowReaderError. */
    async next(event: StreamEvent): Promise<void> {
      isEnded = event.isEnd === true;
      const text = Buffer.from(framing.frame(event) + (isEnded ? framing.end : ''));
      const bytes = BodyBudget.costOf(text);
      if (!budget.take(caller, bytes)) throw new SlowReaderError();
      try {
        await write(text);
      } finally {
        budget.give(caller, bytes);
      }
    },
    /** `complete` tells the client not to open the stream again. */
    end(complete: boolean): void {
      clearInterval(heartbeats);
      raw.end(complete && !isEnded ? framing.end : undefined);
    },
    /** Closes the connection without an ending. */
    cut(): void {
      clearInterval(heartbeats);
      raw.destroy();
    },
  };
}
