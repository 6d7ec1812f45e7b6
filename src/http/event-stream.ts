import type { ServerResponse } from 'node:http';
import { BodyBudget } from './body.ts';
import type { Framing, StreamEvent } from './face.ts';

/** Interval (ms) of heartbeats on a silent stream. The documented maximum is 12 s; a silent connection is cut after 15 s. */
const heartbeatMs = 10_000;

/** Thrown if a client does not read an event in time, or too many bytes are buffered for slow clients. */
export class SlowReaderError extends Error {}

/** Writer of one stream's events. */
export type EventWriter = ReturnType<typeof createEventWriter>;

/**
 * Writes events to a client one at a time, so that a slow reader keeps only one in memory, for at most `maxStallMs`.
 * `caller`: the key of the client in `budget`.
 */
export function createEventWriter(
  raw: ServerResponse,
  framing: Framing,
  budget: BodyBudget,
  caller: string,
  maxStallMs: number,
) {
  let isEndWritten = false;
  raw.write(framing.start);
  const heartbeats = setInterval(() => raw.writableLength === 0 && raw.write(framing.heartbeat), heartbeatMs);

  const writeBytes = (bytes: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      const createFinisher = (settle: () => void) => (): void => {
        clearTimeout(timer);
        raw.off('close', onSent);
        settle();
      };
      const onSent = createFinisher(resolve);
      const timer = setTimeout(
        createFinisher(() => reject(new SlowReaderError())),
        maxStallMs,
      );
      raw.on('close', onSent);
      raw.write(bytes, onSent);
    });

  return {
    /** Resolves when the event was sent or the client disconnected. The last event includes the framing's end. Throws SlowReaderError. */
    async writeEvent(event: StreamEvent): Promise<void> {
      isEndWritten = event.isEnd === true;
      const bytes = Buffer.from(framing.frame(event) + (isEndWritten ? framing.end : ''));
      const reservedBytes = BodyBudget.computeReservedBytes(bytes);
      if (!budget.reserve(caller, reservedBytes)) throw new SlowReaderError();
      try {
        await writeBytes(bytes);
      } finally {
        budget.release(caller, reservedBytes);
      }
    },
    /** Ends the response; `isComplete` tells the client not to open the stream again. */
    end(isComplete: boolean): void {
      clearInterval(heartbeats);
      raw.end(isComplete && !isEndWritten ? framing.end : undefined);
    },
    destroy(): void {
      clearInterval(heartbeats);
      raw.destroy();
    },
  };
}
