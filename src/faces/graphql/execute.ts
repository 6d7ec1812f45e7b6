import { OperationTypeNode } from 'graphql';
import type { Caller } from '../../access/caller.ts';
import type { Admission } from '../../operations/admission.ts';
import type { Leave } from '../../operations/expensive-queue.ts';
import type { HttpAnswer, HttpRequest } from '../../http/face.ts';
import { answerOf, refusalAnswer, type Result } from './answer/answer.ts';
import { contextOf, type GatewayContext } from './context.ts';
import { answerType, notAcceptable, wantsPage } from './request/accept.ts';
import type { Introspection } from './request/operation-scopes.ts';
import type { Admitted, AdmitDocument } from './request/admission.ts';

/** Answers a request to the endpoint. Never throws. */
export type Execute = (request: HttpRequest, caller: Caller) => Promise<HttpAnswer>;

/**
 * Runs an operation that was admitted. An engine that is faster for some operations may stand before another one; both give
 * the same results.
 */
export type Engine = (admitted: Admitted, context: GatewayContext) => Promise<Result>;

export interface ExecuteParts {
  readonly admit: AdmitDocument;
  readonly enter: Admission['enter'];
  readonly engine: Engine;
  readonly introspection: Introspection;
  /** The page for browsers; absent: browsers are answered like other clients. */
  readonly page?: (request: HttpRequest) => Promise<HttpAnswer>;
}

export function createExecute({ admit, enter, engine, introspection, page }: ExecuteParts): Execute {
  return async (request, caller) => {
    const { type, isAccepted } = answerType(request.headers);
    let leave: Leave | undefined;
    try {
      if (page && wantsPage(request)) return await page(request);
      const admitted = admit(request, caller, 'answer');
      if (!isAccepted) throw notAcceptable();
      const wait = enter(admitted.cost);
      if (wait) leave = await wait;
      const context = contextOf(caller, introspection);
      const result = await engine(admitted, context);
      if (result.data !== undefined || result.json !== undefined) reportOperation(admitted, caller);
      const answer = await answerOf(
        result,
        type,
        admitted.operation.operation === OperationTypeNode.MUTATION,
        context,
      );
      caller.report.codes = answer.errors.map(({ extensions }) => extensions.code);
      return answer;
    } catch (error) {
      return refusalAnswer(error, type, caller);
    } finally {
      leave?.(caller.sent?.() ?? Promise.resolve());
    }
  };
}

/** Reports an operation that fits the schema: names in other documents are arbitrary text. */
export function reportOperation({ hash, operation, rootFields }: Admitted, { report }: Caller): void {
  report.operation = {
    kind: operation.operation,
    name: operation.name?.value.slice(0, 100),
    hash,
    rootFields,
  };
}
