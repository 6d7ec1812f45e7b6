import type { Readable } from 'node:stream';
import type { Caller, Viewer } from '../access/permissions.ts';
import { AppError, type ErrorCode, type Reason } from '../core/errors.ts';
import type { RequestReport } from '../core/runtime/log.ts';

/** Request without its body, which is known before the body is read. */
export interface RequestHead {
  readonly method: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Path of the URL, not decoded. */
  readonly path: string;
  /** Query of the URL without its question mark; empty if there is none. */
  readonly search: string;
}

/** A request with its body. */
export interface HttpRequest extends RequestHead {
  /** Parsed JSON; a `ListBody` for a list, a `RawBody` for another media type. */
  readonly body: unknown;
}

/** A response of a face, to which the transport adds its own headers. */
export interface HttpResponse<Body extends string | Buffer | Readable = string> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a response without a body, which has no content type. A stream is not read for HEAD. */
  readonly body: Body;
}

/** An event of a stream, in the JSON that the face wrote. */
export interface StreamEvent {
  /** Absent for errors and for streams that cannot resume. */
  readonly id?: string;
  /** JSON in one line. */
  readonly data: string;
  /** True for the errors that end a stream. */
  readonly isEnd?: boolean;
}

/** Format of a stream in one protocol. */
export interface Framing {
  /** Content type of the response. */
  readonly type: string;
  /** Text before the first event. */
  readonly start: string;
  /** Text that keeps a silent connection open, and that clients ignore. */
  readonly heartbeat: string;
  frame(event: StreamEvent): string;
  /** Text after the last event, which tells clients not to open the stream again. */
  readonly end: string;
}

/** A stream of events, produced as fast as they are read. If the stream is aborted with an AppError, that is the last event. */
export interface EventStream {
  readonly framing: Framing;
  readonly events: AsyncIterable<StreamEvent>;
  /** Name of the operation, for metrics. */
  readonly operation?: string;
  /** Whether each event is charged like a request, instead of each minute of the stream. */
  readonly chargesEvents?: boolean;
}

/** A route of a face: a path with its methods, and the function that handles its requests. */
export interface FaceRoute {
  /** An exact path (`/graphql`), or all paths below it (`/rpc/*`). */
  readonly path: string;
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'QUERY' | 'TRACE')[];
  /** Whether the route responds to OPTIONS with its methods. */
  readonly hasOptions?: boolean;
  /** Whether GET includes HEAD; true by default. */
  readonly hasHead?: boolean;
  /** Whether Authorization headers are ignored, so that all callers are known by their network only. */
  readonly ignoresTokens?: boolean;
  /** Media types of raw bodies besides JSON. A route with any of them also accepts requests without a body. */
  readonly bodyTypes?: readonly string[];
  /** Whether bodies may be compressed with gzip. */
  readonly acceptsGzip?: boolean;
  /** Throws for a request to refuse by its head, before the caller is identified. */
  readonly refuseHead?: (request: RequestHead) => void;
  /** Throws for a request to refuse by its head and caller, before its body is read. */
  readonly admit?: (
    request: RequestHead,
    caller: { readonly viewer: Viewer | undefined; readonly report: RequestReport },
  ) => void;
  /** Handles a request and charges its caller. If it throws, the request is charged 1. */
  readonly execute: (
    request: HttpRequest,
    caller: Caller,
  ) => Promise<HttpResponse<string | Buffer | Readable> | EventStream>;
}

/** A page that the start page links to. */
export interface PageLink {
  readonly path: string;
  readonly title: string;
  readonly description: string;
}

/** An API of the gateway over HTTP. The transport identifies callers and enforces limits; the face writes responses and errors. */
export interface Face {
  readonly routes: readonly FaceRoute[];
  /** Converts an error from outside `execute` to a response, and adds its code to the caller's report. */
  readonly toErrorResponse: (
    error: unknown,
    request: Pick<RequestHead, 'headers' | 'search'>,
    caller: Pick<Caller, 'requestId' | 'log' | 'report'>,
  ) => HttpResponse;
  /** Request header on which all responses depend, for `Vary`. */
  readonly varyHeader?: string;
  /** Sentence with the path of this face, for the 404 of unknown paths. */
  readonly notFoundHint?: string;
  /** Pages of the face that the start page links to. */
  readonly links?: readonly PageLink[];
  /** Whether the response is a page for browsers. The demo shows pages only to this machine. */
  readonly isPageRequest?: (request: RequestHead) => boolean;
  /** Values for pages of other origins, in addition to those of every face. */
  readonly cors?: {
    readonly methods: readonly string[];
    readonly requestHeaders: readonly string[];
    readonly exposedHeaders: readonly string[];
  };
}

/** Whether a route serves a path, which the route may name or begin (`/rpc/*`). */
export const servesPath = ({ path: pattern }: FaceRoute, path: string): boolean =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;

/** HTTP statuses of errors without their own. */
export const statusByCode: Readonly<Record<ErrorCode, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
};

/** Error with its own HTTP status and headers. */
export class HttpError extends AppError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, reason: Reason, message: string, headers: HttpError['headers'] = {}) {
    super(status === 404 ? 'NOT_FOUND' : 'BAD_USER_INPUT', reason, message, [{ path: [], reason, message }]);
    this.status = status;
    this.headers = headers;
  }
}

/** Thrown for a malformed body. */
export class BodyError extends HttpError {
  constructor(message: string) {
    super(400, 'invalid', message);
  }
}

/** An unparsed body of a media type other than JSON. */
export class RawBody {
  /** Content type as the client sent it. */
  readonly type: string;
  readonly bytes: Buffer;

  constructor(type: string, bytes: Buffer) {
    this.type = type;
    this.bytes = bytes;
  }
}

/** Returns the media type of a Content-Type, without its parameters. */
export const mediaTypeOf = (contentType = ''): string => contentType.replace(/;.*/s, '').trim().toLowerCase();

/** Number up to which the entries of a list are counted. */
export const maxListEntries = 100;

/** A JSON list as body. Its entries are counted up to `maxListEntries`, but not parsed. */
export class ListBody {
  readonly entryCount: number;

  constructor(entryCount: number) {
    this.entryCount = entryCount;
  }
}
