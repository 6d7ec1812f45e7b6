import type { Log } from '../core/runtime/log.ts';
import type { RequestReport } from '../core/runtime/request-report.ts';
import type { StreamRequest } from '../core/runtime/stream.ts';
import type { Viewer } from './permissions.ts';

/** Who sent a request, and what else is known of it beside its content. */
export interface Caller {
  readonly requestId: string;
  /** Absent for a caller without a token; operations that need one are refused before they run. */
  readonly viewer: Viewer | undefined;
  /** The caller's network address, for the rate limit of callers without a token. */
  readonly address: string;
  readonly log: Log;
  /** Resolves when the answer is sent, or its connection is gone. */
  readonly sent?: () => Promise<void>;
  /** Whether nobody waits for the answer any more: it was sent, or its connection is gone. */
  readonly isOver?: () => boolean;
  /** Filled in while the request runs. */
  readonly report: RequestReport;
  /** Opens a stream of events as the answer, once. Throws when the caller has too many of them. */
  readonly openStream?: () => StreamRequest;
}
