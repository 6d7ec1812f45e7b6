import {
  createSourceEventStream,
  execute,
  type ExecutionArgs,
  type GraphQLSchema,
  OperationTypeNode,
  specifiedRules,
  validate,
} from 'graphql';
import type { Caller } from '../../access/permissions.ts';
import { AppError } from '../../core/errors.ts';
import { coalesce, type Streamed } from '../../core/runtime/watch.ts';
import type { EventStream, HttpAnswer, HttpRequest, StreamEvent } from '../../http/face.ts';
import type { Admission, Meter } from '../../operations/context.ts';
import { answerOf, refusalAnswer, type Result } from './answer.ts';
import { GatewayContext } from './context.ts';
import { type ClientError, clientErrors, maxErrors } from './errors.ts';
import { readVariables } from './input/variables.ts';
import type { AdmitDocument } from './request/admission.ts';
import type { Introspection, ParsedOperation } from './request/documents.ts';
import {
  acceptsEvents,
  answerType,
  framingFor,
  howToSubscribe,
  jsonType,
  jsonTypes,
  notAcceptable,
  RequestFault,
  serverSentEvents,
  wantsPage,
} from './request/params.ts';

/** Answers a request to the endpoint, a subscription with a stream. Never throws. */
type Execute = (request: HttpRequest, caller: Caller) => Promise<HttpAnswer | EventStream>;

/** Runs an admitted operation. A faster engine for some operations may stand before another one; both give the same results. */
export type Engine = (context: GatewayContext) => Promise<Result>;

export interface ExecuteDependencies {
  readonly schema: GraphQLSchema;
  readonly admit: AdmitDocument;
  readonly openMeter: Admission['openMeter'];
  readonly engine: Engine;
  readonly subscribe: Subscribe;
  readonly introspection: Introspection;
  /** The page for browsers; absent: browsers are answered like other clients. */
  readonly page?: (request: HttpRequest) => Promise<HttpAnswer>;
}

/** The endpoint for all operations; or one for subscriptions only, which sends server-sent events, also for their errors. */
export function createExecute(
  { schema, admit, openMeter, engine, subscribe, introspection, page }: ExecuteDependencies,
  allowedKinds: 'all' | 'subscriptions',
): Execute {
  const isForStreams = allowedKinds === 'subscriptions';
  return async (request, caller) => {
    const accepted = answerType(request.headers);
    const needsEvents = isForStreams || accepted.asEvents;
    const type = needsEvents ? jsonType : accepted.type;
    const finish = (answer: HttpAnswer): HttpAnswer =>
      needsEvents ? wrapAsEvent(answer, accepted.type) : answer;
    let meter: Meter | undefined;
    try {
      if (page && wantsPage(request)) return await page(request);
      if (isForStreams && !acceptsEvents(request.headers)) throw notAcceptable('text/event-stream');
      const admitted = admit(request, caller, allowedKinds);
      const { operation, cost } = admitted;
      const kind = operation.node.operation;
      if (kind !== OperationTypeNode.SUBSCRIPTION) {
        if (!accepted.isAccepted && !needsEvents) throw notAcceptable(jsonTypes);
        meter = openMeter(caller, cost);
      }
      const context = new GatewayContext(caller, admitted, introspection, meter);
      let result: Result;
      if (kind === OperationTypeNode.SUBSCRIPTION) {
        const framing = isForStreams ? serverSentEvents : framingFor(request.headers);
        if (!framing) throw new RequestFault(howToSubscribe);
        const opened = validateDocument(schema, context) ?? (await subscribe(context, caller));
        if ('events' in opened || opened.data !== undefined) reportOperation(operation, caller);
        if ('events' in opened)
          return {
            framing,
            operation: operation.needs?.rootFields[0],
            events: opened.events,
            chargesEvents: operation.edges !== undefined,
          };
        // As before there were subscriptions at /graphql, an error has no data at the path of streams.
        result = isForStreams ? { errors: opened.errors } : opened;
      } else {
        if (meter?.ready) await meter.ready;
        result = validateDocument(schema, context) ?? (await engine(context));
        if (result.data !== undefined || result.json !== undefined) reportOperation(operation, caller);
      }
      const answer = await answerOf(result, type, kind === OperationTypeNode.MUTATION, context);
      caller.report.codes = answer.errors.map(({ extensions }) => extensions.code);
      return finish(answer);
    } catch (error) {
      return finish(refusalAnswer(error, type, caller));
    } finally {
      meter?.leave();
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

/** Opens a subscription. Returns its events, or the errors if it cannot be opened. Throws refusals of the whole request. */
type Subscribe = (
  context: GatewayContext,
  caller: Caller,
) => Promise<Result | { readonly events: AsyncIterable<StreamEvent> }>;

interface SubscribeDependencies {
  readonly schema: GraphQLSchema;
  readonly introspection: Introspection;
  readonly admission: Admission;
}

/** The variables are coerced once for each stream. Each event that enters edges is charged; while the rate limit is used up, events wait and are told together. */
export function createSubscribe({ schema, introspection, admission }: SubscribeDependencies): Subscribe {
  return async (context, caller) => {
    const { admitted } = context;
    const { node, document } = admitted.operation;
    /** The errors in their final form; their codes go into the report. */
    const finalErrors = (errors: readonly unknown[]): readonly ClientError[] => {
      const final = clientErrors(errors, schema, context);
      caller.report.codes = final.map(({ extensions }) => extensions.code);
      return final;
    };
    const args: ExecutionArgs = {
      schema,
      document: document.node,
      operationName: node.name?.value,
      variableValues: await readVariables(schema, context),
      contextValue: context,
    };
    const { ended } = context.stream();
    const source = await createSourceEventStream(args);
    if (!(Symbol.asyncIterator in source)) return { data: null, errors: finalErrors(source.errors ?? []) };

    /** Runs the selection for one event. */
    async function resultOf(streamed: Streamed<unknown>, meter?: Meter) {
      // A new context for each event: loaded values must not outlive it.
      const contextValue = new GatewayContext(caller, admitted, introspection, meter);
      const { data, errors = [] } = await execute({ ...args, rootValue: streamed, contextValue });
      const final = errors.length > 0 ? finalErrors(errors) : [];
      const result: Result = { data, ...(final.length > 0 && { errors: final }) };
      const { body } = await answerOf(result, jsonType, false, contextValue);
      const event: StreamEvent = { id: streamed.id, data: body.trimEnd() };
      return { event, isLimited: final.some(({ extensions }) => extensions.code === 'RATE_LIMITED') };
    }

    /** Runs the selection for one event in line with other expensive work. */
    async function meteredResultOf(streamed: Streamed<unknown>): ReturnType<typeof resultOf> {
      let meter: Meter | undefined;
      try {
        // Nothing tells when an event arrives.
        meter = admission.openMeter({ ...caller, sent: undefined }, admitted.cost);
        if (meter.ready) await meter.ready;
        return await resultOf(streamed, meter);
      } catch (error) {
        const data = JSON.stringify({ data: null, errors: finalErrors([error]) });
        return { event: { id: streamed.id, data }, isLimited: false };
      } finally {
        meter?.leave();
      }
    }

    async function* results(streams: AsyncIterable<unknown>): AsyncGenerator<StreamEvent> {
      const source = streams as AsyncIterable<Streamed<unknown>>;
      const { cost, operation } = admitted;
      try {
        if (!operation.edges) for await (const streamed of source) yield (await resultOf(streamed)).event;
        else {
          let refused: Streamed<unknown> | undefined;
          const take = (): number => admission.tryCharge(caller, cost);
          for await (const streamed of coalesce(source, calendarOf, take, ended, (one) => one === refused)) {
            const { event, isLimited } = await meteredResultOf(streamed);
            refused = isLimited ? streamed : undefined;
            if (!refused) yield event;
          }
        }
      } catch (error) {
        yield eventOf(finalErrors([error]));
        return;
      }
      const reason: unknown = ended.reason;
      if (reason instanceof AppError) yield eventOf(finalErrors([reason]));
    }
    return { events: results(source) };
  };
}

/** The calendar of a change, by which changes are combined; undefined for an error, which reads nothing. */
const calendarOf = ({ value }: Streamed<unknown>): unknown =>
  value instanceof AppError ? undefined : (value as { readonly calendarId?: unknown }).calendarId;

/** The event of errors that end a stream. */
const eventOf = (errors: readonly ClientError[]): StreamEvent => ({
  data: JSON.stringify({ errors }),
  isEnd: true,
});
