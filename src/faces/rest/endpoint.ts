import type { Caller } from '../../access/caller.ts';
import type { Viewer } from '../../access/permissions.ts';
import type { HttpAnswer, RequestHead } from '../../http/face.ts';
import type { Verb } from './method.ts';
import type { RequestParts } from './read/parameters.ts';

/** A request at an endpoint. */
export interface EndpointRequest extends RequestParts {
  /** As it was sent, with the names of the endpoint's variables for what stood there. */
  readonly head: RequestHead;
  /** JSON, a `RawBody`, or nothing. */
  readonly body: unknown;
  /** Set when an operation was asked for, which charges its caller itself. */
  charged?: boolean;
  /** Set when a write was carried out: what fails then is its answer. */
  done?: boolean;
}

/** What serves one verb of one path. Throws what `refuse` words. */
export interface Endpoint {
  readonly verb: Verb;
  /** `/calendar/v3/calendars/{calendarId}`. */
  readonly template: string;
  /** What it runs, for the metrics. */
  readonly operation: string;
  /** Throws for a caller to whom it is closed. */
  readonly admit?: (viewer: Viewer | undefined) => void;
  readonly run: (request: EndpointRequest, caller: Caller) => Promise<HttpAnswer<string | Buffer>>;
  /** Words what went wrong; absent: as the face does. */
  readonly refuse?: (error: unknown, request: EndpointRequest, caller: Caller) => HttpAnswer;
}
