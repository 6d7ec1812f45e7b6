import type { Caller, Viewer } from '../access/permissions.ts';
import { AppError, type Reason } from '../core/errors.ts';
import type { RequestReport } from '../core/runtime/log.ts';

/** A request without its body. */
export interface RequestHead {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The path of the URL, as it was sent. */
  readonly path: string;
  /** The query of the URL, without its question mark. */
  readonly search: string;
}

export interface HttpRequest extends RequestHead {
  /** Parsed as JSON; a `ListBody` where it is a list, a `RawBody` of another type. */
  readonly body: unknown;
}

export interface HttpAnswer<Body extends string | Buffer = string> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An empty one is none: it has no type. */
  readonly body: Body;
}

/** One result of a stream. */
export interface StreamEvent {
  /** Absent for errors and for streams that cannot resume. */
  readonly id?: string;
  /** JSON in one line. */
  readonly data: string;
  /** True for the errors that end a stream. */
  readonly isEnd?: boolean;
}

/** How a protocol writes a stream. */
export interface Framing {
  /** The media type of the response. */
  readonly type: string;
  /** First bytes of a stream. */
  readonly start: string;
  /** Shows that a silent stream is alive. */
  readonly heartbeat: string;
  frame(event: StreamEvent): string;
  /** Ends a stream for good: clients need not open it again. */
  readonly end: string;
}

/** The results of a stream, produced as fast as they are read. When the stream is aborted with an AppError, that error is the last event. */
export interface EventStream {
  readonly framing: Framing;
  readonly events: AsyncIterable<StreamEvent>;
  /** The name of the operation, for the metrics. */
  readonly operation?: string;
  /** Whether each event is charged like a request; else each minute of the stream is. */
  readonly chargesEvents?: boolean;
}

/** A path that a face serves. */
export interface AnswerRoute {
  /** `/graphql`, or with a star at its end everything below: `/rpc/*`. */
  readonly path: string;
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'QUERY' | 'TRACE')[];
  /** Whether OPTIONS is answered with the methods. */
  readonly options?: boolean;
  /** False where HEAD is not allowed beside GET. */
  readonly head?: boolean;
  /** Types of bodies beside JSON, which are handed on as they are. A route that names any takes requests without a body, too. */
  readonly bodies?: readonly string[];
  /** Whether bodies may be compressed with gzip. */
  readonly gzip?: boolean;
  /** Refuses a request by its head, whoever sent it. */
  readonly refuseHead?: (request: RequestHead) => void;
  /** Refuses a request by its head and its caller, before its body is read. */
  readonly admit?: (
    request: RequestHead,
    caller: { readonly viewer: Viewer | undefined; readonly report: RequestReport },
  ) => void;
  /** Answers requests, and charges them to their callers. A request for which it throws is charged 1. */
  readonly execute: (
    request: HttpRequest,
    caller: Caller,
  ) => Promise<HttpAnswer<string | Buffer> | EventStream>;
}

/** An API of the gateway over HTTP. The transport identifies callers and enforces its limits first; answers and the form of errors are the face's. */
export interface Face {
  readonly routes: readonly AnswerRoute[];
  /** Words an error that arose outside of `execute`, and writes its code into the caller's report. */
  readonly refuse: (
    error: unknown,
    request: Pick<RequestHead, 'headers' | 'search'>,
    caller: Pick<Caller, 'requestId' | 'log' | 'report'>,
  ) => HttpAnswer;
  /** The request header that its answers depend on, for `Vary`. */
  readonly varies?: string;
  /** A sentence for the 404 of unknown paths that names the path of this face. */
  readonly whereabouts?: string;
  /** Pages of the face that the start page links to. */
  readonly links?: readonly { readonly path: string; readonly title: string; readonly description: string }[];
  /** Whether a request is answered with a page for browsers; the demo shows pages to this machine only. */
  readonly isPage?: (request: RequestHead) => boolean;
  /** What pages of other origins may send to it, and read of its answers, beside what is usual. */
  readonly origins?: {
    readonly methods: readonly string[];
    readonly requestHeaders: readonly string[];
    readonly exposedHeaders: readonly string[];
  };
}

/** Whether a route serves a path. */
export const matches = ({ path: of }: AnswerRoute, path: string): boolean =>
  of.endsWith('*') ? path.startsWith(of.slice(0, -1)) : path === of;

/** An error of the request, answered with this status. */
export class HttpError extends AppError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, reason: Reason, message: string, headers: HttpError['headers'] = {}) {
    super(status === 404 ? 'NOT_FOUND' : 'BAD_USER_INPUT', reason, message, [{ path: [], reason, message }]);
    this.status = status;
    this.headers = headers;
  }
}

/** A body that is not what its type says, or broke off. */
export class BodyFault extends HttpError {
  constructor(message: string) {
    super(400, 'invalid', message);
  }
}

/** A body that is handed on as it is. */
export class RawBody {
  /** As the client named it. */
  readonly type: string;
  readonly bytes: Buffer;

  constructor(type: string, bytes: Buffer) {
    this.type = type;
    this.bytes = bytes;
  }
}

/** Entries of a list are counted up to this number. */
export const maxListEntries = 100;

/** A body that is a JSON list. Its entries are counted, up to `maxListEntries`, and not parsed. */
export class ListBody {
  readonly entries: number;

  constructor(entries: number) {
    this.entries = entries;
  }
}
