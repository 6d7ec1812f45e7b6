/** An event of a stream, with the id from which a later stream resumes. */
export interface Streamed<T> {
  /** One line of printable ASCII; absent in streams that cannot be resumed. */
  readonly id?: string;
  readonly value: T;
}

/** A request for a stream. */
export interface StreamRequest {
  /** The id of the last event that the client received, when it resumes a stream. */
  readonly lastEventId: string | undefined;
  /** Aborted when the stream ends. */
  readonly ended: AbortSignal;
}

/** Streams check at least this often (ms) whether access was revoked or a wake signal was lost. */
export const longestRestMs = 60_000;
