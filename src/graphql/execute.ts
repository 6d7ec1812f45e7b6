import { OperationTypeNode } from 'graphql';
import { AppError } from '../core/errors.ts';
import { createTurns, type Turns } from '../core/turns.ts';
import type { Viewer } from '../access/permissions.ts';
import { answerOf, refusalAnswer, type Answer, type Result } from './answer/answer.ts';
import type { Caller, GatewayContext, Loaders, Log, Services } from './context.ts';
import type { ResourceModule } from './module.ts';
import { createNotes } from './notes.ts';
import type { RequestReport } from './report.ts';
import type { Admission, Admitted } from './request/admission.ts';
import { answerType, jsonType, notAcceptable, wantsPage, type HttpRequest } from './request/params.ts';

/** All that HTTP needs to know of GraphQL: answers a request to its endpoint. Never throws. */
export type Execute = (request: HttpRequest, caller: Caller) => Promise<Answer>;

/**
 * Runs an operation that was admitted. One that is faster for some operations can stand before another: what both see is
 * the same.
 */
export type Engine = (admitted: Admitted, context: GatewayContext) => Promise<Result>;

export interface ExecuteParts {
  readonly modules: readonly ResourceModule[];
  readonly admit: Admission;
  readonly engine: Engine;
  /** What a browser gets that asks for a page; absent: what everybody gets. */
  readonly page?: (request: HttpRequest) => Promise<Answer>;
}

export function createExecute({ modules, admit, engine, page }: ExecuteParts): Execute {
  const contextOf = createContexts(modules);
  return async (request, caller) => {
    const { requestId, log, report } = caller;
    const accepted = answerType(request);
    const type = accepted ?? jsonType;
    try {
      if (page && wantsPage(request)) return await page(request);
      const admitted = admit(request, caller);
      if (accepted === undefined) throw notAcceptable();
      const context = contextOf(caller);
      const result = await engine(admitted, context);
      if (result.data !== undefined || result.json !== undefined) tellOf(admitted, caller);
      const { errors, ...answer } = await answerOf(result, type, admitted.operation.operation === OperationTypeNode.MUTATION, context);
      report.codes = errors.map(({ extensions }) => extensions.code);
      return answer;
    } catch (error) {
      const { errors, ...answer } = refusalAnswer(error, type, requestId, log);
      report.codes = errors.map(({ extensions }) => extensions.code);
      return answer;
    }
  };
}

/** Only of what fits the schema: other names are the client's. */
function tellOf({ hash, operation, rootFields }: Admitted, { report }: Caller): void {
  report.operation = { kind: operation.operation, name: operation.name?.value.slice(0, 100), hash, rootFields };
}

function createContexts(modules: readonly ResourceModule[]): (caller: Caller) => GatewayContext {
  // Each resource declares its share of both types beside its module, so that together they are whole.
  const services = Object.assign({}, ...modules.map((module) => module.services)) as Services;
  const createLoaders = (): Loaders => Object.assign({}, ...modules.map((module) => module.createLoaders())) as Loaders;

  class RequestContext implements GatewayContext {
    readonly requestId: string;
    readonly viewer: Viewer | undefined;
    readonly address: string;
    readonly log: Log;
    readonly report: RequestReport;
    readonly services = services;
    readonly notes = createNotes();
    #loaders: Loaders | undefined;
    #turns: Turns | undefined;

    constructor({ requestId, viewer, address, log, report }: Caller) {
      this.requestId = requestId;
      this.viewer = viewer;
      this.address = address;
      this.log = log;
      this.report = report;
    }

    caller(): Viewer {
      if (!this.viewer) throw new AppError('UNAUTHENTICATED', 'authError', 'This needs a token.');
      return this.viewer;
    }

    get loaders(): Loaders {
      return (this.#loaders ??= createLoaders());
    }

    get inTurn(): Turns {
      return (this.#turns ??= createTurns());
    }
  }
  return (caller) => new RequestContext(caller);
}
