import type { Caller } from '../access/caller.ts';
import { AppError, type Reason } from '../core/kernel/errors.ts';

/** A request without its body. */
export interface RequestHead {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The path of the URL, as it was sent. */
  readonly path: string;
  /** What follows the question mark of the URL. */
  readonly search: string;
}

export interface HttpRequest extends RequestHead {
  /** Parsed as JSON; a `ListBody` where it is a list. */
  readonly body: unknown;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One result of a stream. */
export interface StreamEvent {
  /** Absent for an error. */
  readonly id?: string;
  /** One line. */
  readonly data: string;
}

/** The results of a stream, as fast as they are read. They end with an error where `ended` names one as its reason. */
export interface EventStream {
  readonly events: AsyncIterable<StreamEvent>;
  /** The name of the operation, for the metrics. */
  readonly operation?: string;
}

/** A path that a face serves. */
export interface FaceRoute {
  /** `/graphql`, or with a star at its end everything below: `/rpc/*`. */
  readonly path: string;
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[];
  /** Whether OPTIONS is answered with the methods. */
  readonly options?: boolean;
}

/** Answers a request. Charges it as well; one that it throws for is charged as little as one can be. */
export interface AnswerRoute extends FaceRoute {
  readonly execute: (request: HttpRequest, caller: Caller) => Promise<HttpAnswer>;
}

/** Answers with server-sent events; a request that is refused, as `execute` does. */
export interface StreamRoute extends FaceRoute {
  readonly subscribe: (request: HttpRequest, caller: Caller) => Promise<HttpAnswer | EventStream>;
}

/** A way to speak to the gateway over HTTP. Identity, limits and connections are decided before; what is said, the face decides. */
export interface Face {
  readonly routes: readonly (AnswerRoute | StreamRoute)[];
  /** The answer for an error that arose before or outside of the routes, on a path of this face; its code goes into the caller's report. */
  readonly refuse: (error: unknown, request: Pick<RequestHead, 'headers'>, caller: Pick<Caller, 'requestId' | 'log' | 'report'>) => HttpAnswer;
  /** The request header that its answers depend on. */
  readonly varies?: string;
  /** A sentence for those who look for it on a path where nothing is. */
  readonly whereabouts?: string;
  /** Whether a request is answered with a page for browsers, which in the demo are for this machine only. */
  readonly isPage?: (request: RequestHead) => boolean;
}

/** Whether a path is the one of a route, or lies below it. */
export const matches = ({ path: of }: FaceRoute, path: string): boolean => (of.endsWith('*') ? path.startsWith(of.slice(0, -1)) : path === of);

/** A fault of a request that is told with this status. */
export class HttpError extends AppError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, reason: Reason, message: string, headers: HttpError['headers'] = {}) {
    super(status === 404 ? 'NOT_FOUND' : 'BAD_USER_INPUT', reason, message, [{ path: [], reason, message }]);
    this.status = status;
    this.headers = headers;
  }
}

/** Above this the entries of a list are not counted. */
export const maxListEntries = 100;

/** A body that is a JSON list. Nothing is made of it but the number of its entries, `maxListEntries` at most. */
export class ListBody {
  readonly entries: number;

  constructor(entries: number) {
    this.entries = entries;
  }
}
