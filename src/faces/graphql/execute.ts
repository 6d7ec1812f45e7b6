import { OperationTypeNode, specifiedRules, validate, type GraphQLSchema } from 'graphql';
import type { Caller } from '../../access/caller.ts';
import type { Leave } from '../../core/runtime/limits.ts';
import type { Admission } from '../../operations/context.ts';
import type { EventStream, HttpAnswer, HttpRequest } from '../../http/face.ts';
import { answerOf, refusalAnswer, type Result } from './answer/answer.ts';
import { serverSentEvents } from './answer/framing.ts';
import { GatewayContext } from './context.ts';
import { clientErrors, maxErrors } from './errors.ts';
import {
  acceptsEvents,
  answerType,
  framingFor,
  howToSubscribe,
  jsonType,
  jsonTypes,
  notAcceptable,
  RequestFault,
  wantsPage,
} from './request/params.ts';
import type { Introspection, ParsedOperation } from './request/documents.ts';
import type { AdmitDocument } from './request/admission.ts';
import type { Subscribe } from './subscribe.ts';

/** Answers a request to the endpoint, a subscription with a stream. Never throws. */
type Execute = (request: HttpRequest, caller: Caller) => Promise<HttpAnswer | EventStream>;

/**
 * Runs an operation that was admitted. An engine that is faster for some operations may stand before another one; both give
 * the same results.
 */
export type Engine = (context: GatewayContext) => Promise<Result>;

export interface ExecuteDependencies {
  readonly schema: GraphQLSchema;
  readonly admit: AdmitDocument;
  readonly enter: Admission['enter'];
  readonly engine: Engine;
  readonly subscribe: Subscribe;
  readonly introspection: Introspection;
  /** The page for browsers; absent: browsers are answered like other clients. */
  readonly page?: (request: HttpRequest) => Promise<HttpAnswer>;
}

/** The endpoint for all operations; or one for subscriptions only, which sends server-sent events, also for their errors. */
export function createExecute(
  { schema, admit, enter, engine, subscribe, introspection, page }: ExecuteDependencies,
  allowedKinds: 'all' | 'subscriptions',
): Execute {
  const isForStreams = allowedKinds === 'subscriptions';
  return async (request, caller) => {
    const accepted = answerType(request.headers);
    const needsEvents = isForStreams || accepted.asEvents;
    const type = needsEvents ? jsonType : accepted.type;
    const finish = (answer: HttpAnswer): HttpAnswer =>
      needsEvents ? wrapAsEvent(answer, accepted.type) : answer;
    let leave: Leave | undefined;
    try {
      if (page && wantsPage(request)) return await page(request);
      if (isForStreams && !acceptsEvents(request.headers)) throw notAcceptable('text/event-stream');
      const context = new GatewayContext(caller, admit(request, caller, allowedKinds), introspection);
      const { operation, cost } = context.admitted;
      const kind = operation.node.operation;
      let result: Result;
      if (kind === OperationTypeNode.SUBSCRIPTION) {
        const framing = isForStreams ? serverSentEvents : framingFor(request.headers);
        if (!framing) throw new RequestFault(howToSubscribe);
        const opened = validateDocument(schema, context) ?? (await subscribe(context, caller));
        if ('events' in opened || opened.data !== undefined) reportOperation(operation, caller);
        if ('events' in opened)
          return { framing, operation: operation.needs?.rootFields[0], events: opened.events };
        // As before there were subscriptions at /graphql, an error has no data at the path of streams.
        result = isForStreams ? { errors: opened.errors } : opened;
      } else {
        if (!accepted.isAccepted && !needsEvents) throw notAcceptable(jsonTypes);
        const wait = enter(cost);
        if (wait) leave = await wait;
        result = validateDocument(schema, context) ?? (await engine(context));
        if (result.data !== undefined || result.json !== undefined) reportOperation(operation, caller);
      }
      const answer = await answerOf(result, type, kind === OperationTypeNode.MUTATION, context);
      caller.report.codes = answer.errors.map(({ extensions }) => extensions.code);
      return finish(answer);
    } catch (error) {
      return finish(refusalAnswer(error, type, caller));
    } finally {
      leave?.(caller.sent?.() ?? Promise.resolve());
    }
  };
}

/** Validates a document until it was found to fit the schema once. Undefined for one that fits. */
function validateDocument(schema: GraphQLSchema, context: GatewayContext): Result | undefined {
  const { document } = context.admitted.operation;
  if (document.isValid) return undefined;
  const faults = validate(schema, document.node, specifiedRules, { maxErrors });
  document.isValid = faults.length === 0;
  return document.isValid ? undefined : { errors: clientErrors(faults, schema, context) };
}

/** Wraps an answer as a stream of one event, as clients of server-sent events expect it; other statuses than 200 stay. */
function wrapAsEvent(answer: HttpAnswer, type: string): HttpAnswer {
  const isEvent = answer.status === 200;
  const { start, end } = serverSentEvents;
  return {
    status: answer.status,
    headers: { ...answer.headers, 'content-type': isEvent ? serverSentEvents.type : type },
    body: isEvent ? start + serverSentEvents.frame({ data: answer.body.trimEnd() }) + end : answer.body,
  };
}

/** Reports an operation that fits the schema: names in other documents are arbitrary text. */
function reportOperation({ document, node, needs }: ParsedOperation, { report }: Caller): void {
  report.operation = {
    kind: node.operation,
    name: node.name?.value.slice(0, 100),
    hash: document.hash,
    rootFields: needs?.rootFields ?? [],
  };
}
