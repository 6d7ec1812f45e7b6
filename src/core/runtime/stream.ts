/** Something that a stream tells, with the id behind which a later stream goes on. */
export interface Streamed<T> {
  /** One line of printable ASCII; absent in streams that cannot be resumed. */
  readonly id?: string;
  readonly value: T;
}

/** What whoever fills a stream must know of it. */
export interface StreamRequest {
  /** The id of the last event that the client has, where it goes on with an earlier stream. */
  readonly lastEventId: string | undefined;
  /** Aborted when the stream ends, for whatever reason: nobody reads it any more. */
  readonly ended: AbortSignal;
}

/** How long a stream rests at most before it looks again: for access that was taken away, and wake signals that were lost. */
export const longestRestMs = 60_000;
