import type { Caller } from '../access/caller.ts';
import type { Viewer } from '../access/permissions.ts';
import { AppError } from '../core/kernel/errors.ts';
import type { Log } from '../core/runtime/log.ts';
import { createSerialQueue, type SerialQueue } from '../core/runtime/serial-queue.ts';
import type { StreamRequest } from '../core/runtime/stream.ts';
import { WorkBudget } from '../core/runtime/work-budget.ts';

/** The request that operations run for. Loaders cache by this object, for as long as the request lasts. */
export interface OperationContext {
  /** Who asks. Throws UNAUTHENTICATED where there is no token. */
  caller(): Viewer;
  /** The stream to be filled; for operations of the kind `stream` only. Throws when the caller has too many of them. */
  stream(): StreamRequest;
  /** What the request may spend; shared by all its operations. */
  readonly budget: WorkBudget;
  /** For reads of many records: those of one request run one after the other. */
  readonly readQueue: SerialQueue;
}

// A class with getters: the queue is made only for requests that need it.
export class RequestContext implements OperationContext {
  readonly requestId: string;
  readonly log: Log;
  readonly budget: WorkBudget;
  // Not `#private`: Apollo Server clones the context, and a clone has no private members.
  private readonly viewer: Viewer | undefined;
  private readonly openStream: Caller['openStream'];
  private madeQueue: SerialQueue | undefined;

  constructor({ requestId, viewer, log, openStream, isOver }: Caller) {
    this.requestId = requestId;
    this.viewer = viewer;
    this.log = log;
    this.openStream = openStream;
    this.budget = new WorkBudget(isOver);
  }

  caller(): Viewer {
    if (!this.viewer) throw new AppError('UNAUTHENTICATED', 'authError', 'This needs a token.');
    return this.viewer;
  }

  stream(): StreamRequest {
    if (!this.openStream) throw new Error('this request cannot open a stream');
    return this.openStream();
  }

  get readQueue(): SerialQueue {
    return (this.madeQueue ??= createSerialQueue(() => this.budget.throwIfGone()));
  }
}
