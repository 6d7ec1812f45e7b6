import type { Viewer } from '../../access/permissions.ts';
import { AppError } from '../../core/kernel/errors.ts';
import { WorkBudget } from '../../core/runtime/work-budget.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { StreamRequest } from '../../core/runtime/stream.ts';
import { createSerialQueue, type SerialQueue } from '../../core/runtime/serial-queue.ts';
import type { Caller, GatewayContext, Loaders, Services } from './context.ts';
import type { ResourceModule } from './module.ts';
import { createNotes } from './notes.ts';
import type { RequestReport } from './report.ts';

/** Makes the context of a request, with the services of all resources. */
export function createContexts(modules: readonly ResourceModule[]): (caller: Caller) => GatewayContext {
  // Each resource declares its share of both types beside its module, so that together they are whole.
  const services = Object.assign({}, ...modules.map((module) => module.services)) as Services;
  const createLoaders = (): Loaders => Object.assign({}, ...modules.map((module) => module.createLoaders())) as Loaders;

  // A class: what a request does not ask for is not made.
  class RequestContext implements GatewayContext {
    readonly requestId: string;
    readonly viewer: Viewer | undefined;
    readonly address: string;
    readonly log: Log;
    readonly report: RequestReport;
    readonly services = services;
    readonly notes = createNotes();
    readonly budget: WorkBudget;
    // Not `#private`: Apollo Server clones the context, and a clone has no private members.
    private readonly streamRequest: StreamRequest | undefined;
    private madeLoaders: Loaders | undefined;
    private madeReadQueue: SerialQueue | undefined;

    constructor({ requestId, viewer, address, log, report, stream, isOver }: Caller) {
      this.requestId = requestId;
      this.viewer = viewer;
      this.address = address;
      this.log = log;
      this.report = report;
      this.streamRequest = stream;
      this.budget = new WorkBudget(isOver);
    }

    caller(): Viewer {
      if (!this.viewer) throw new AppError('UNAUTHENTICATED', 'authError', 'This needs a token.');
      return this.viewer;
    }

    stream(): StreamRequest {
      if (!this.streamRequest) throw new Error('only a subscription fills a stream');
      return this.streamRequest;
    }

    get loaders(): Loaders {
      return (this.madeLoaders ??= createLoaders());
    }

    get readQueue(): SerialQueue {
      return (this.madeReadQueue ??= createSerialQueue(() => this.budget.throwIfGone()));
    }
  }
  return (caller) => new RequestContext(caller);
}
