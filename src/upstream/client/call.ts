import type { RequestKey } from '../../core/runtime/per-request.ts';

export type Service = 'calendar' | 'storage';
export type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Values of a query; what is null or undefined is left out. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>;

/** One call of a method of an official REST API. */
export interface Call {
  /** As the discovery document names it, without the service: `events.get`. For figures and the log. */
  readonly method: string;
  readonly verb: Verb;
  /** Below the base of the service: each segment is percent-encoded. */
  readonly path: readonly string[];
  readonly query?: Query;
  /** In official names. */
  readonly body?: object;
  readonly ifMatch?: string | undefined;
  /** It may be sent again even where it may have been carried out: a second time it changes nothing, and tells nobody. */
  readonly repeatable: boolean;
  /** It changes nothing, though it is no GET. */
  readonly readsOnly?: boolean;
}

/** For whom a call is made, and within which request: all calls of one share its time. */
export interface CallFor {
  /** The caller's bearer token. */
  readonly token: string;
  readonly request: RequestKey;
  /** Aborted when nobody waits any more. */
  readonly signal?: AbortSignal;
}

/** What a service answered, its status below 300. */
export interface Reply {
  readonly status: number;
  readonly etag?: string | undefined;
  /** The JSON of its body; undefined where there is none. */
  readonly body: unknown;
}

/** Calls one of the services. */
export interface UpstreamClient {
  /**
   * Rejects with a ServiceRefusal for what the service refuses, and with an AppError for what it never got to decide:
   * RATE_LIMITED, UNAVAILABLE (reason `backendError`, or `outcomeUnknown` where a write may have been carried
   * out), UNAUTHENTICATED.
   */
  call(call: Call, from: CallFor): Promise<Reply>;
  close(): void;
}

/** What a service refuses for good, status 4xx, in the words of its answer. */
export class ServiceRefusal extends Error {
  readonly status: number;
  /** Of the first error: `invalid`, `notFound`, `forbiddenForNonOrganizer`; empty where the answer has none. */
  readonly reason: string;
  /** What the service says of it, shortened. */
  readonly words: string;
  /** The parameter or field that the first error names. */
  readonly location: string | undefined;
  /** An attempt before, whose answer was lost, may have been carried out. */
  again = false;

  constructor(status: number, reason: string, words: string, location: string | undefined) {
    super(`the service answered ${status} ${reason}`);
    this.name = 'ServiceRefusal';
    this.status = status;
    this.reason = reason;
    this.words = words;
    this.location = location;
  }
}
