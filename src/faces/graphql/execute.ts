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
import { coalesce, type StreamedEvent } from '../../core/runtime/streams.ts';
import type { EventStream, HttpResponse, HttpRequest, StreamEvent } from '../../http/face.ts';
import type { Admission, Meter } from '../../operations/context.ts';
import { createResponse, refusalResponse, type ExecutionResult } from './response.ts';
import { GatewayContext } from './context.ts';
import { type ClientError, toClientErrors, maxErrors } from './errors.ts';
import { readVariables } from './input/variables.ts';
import type { AdmitRequest } from './request/admission.ts';
import type { ParsedOperation } from './request/documents.ts';
import {
  acceptsEvents,
  negotiateType,
  chooseFraming,
  subscriptionHint,
  jsonType,
  jsonTypes,
  notAcceptableError,
  RequestError,
  serverSentEvents,
  isLandingPageRequest,
} from './request/params.ts';

/** Runs an admitted operation. A faster engine may wrap another one; both return the same results. */
export type Engine = (context: GatewayContext) => Promise<ExecutionResult>;

/** Dependencies of the endpoints that run operations. */
export interface ExecuteDependencies {
  readonly schema: GraphQLSchema;
  readonly admit: AdmitRequest;
  readonly admission: Admission;
  readonly engine: Engine;
  /** Renders the landing page; without it, browsers are treated like other clients. */
  readonly renderPage?: () => HttpResponse;
}

/** Creates the endpoint for all operations, or the one for subscriptions only, which sends even errors as server-sent events. It never throws. */
export function createRequestHandler(
  dependencies: ExecuteDependencies,
  allowedKinds: 'all' | 'subscriptions',
) {
  const { schema, admit, admission, engine, renderPage } = dependencies;
  const isStreamEndpoint = allowedKinds === 'subscriptions';
  return async (request: HttpRequest, caller: Caller): Promise<HttpResponse | EventStream> => {
    const negotiation = negotiateType(request.headers);
    const needsEvents = isStreamEndpoint || negotiation.needsEvents;
    const mediaType = needsEvents ? jsonType : negotiation.type;
    const finishResponse = (response: HttpResponse): HttpResponse =>
      needsEvents ? wrapAsEvent(response, negotiation.type) : response;
    let meter: Meter | undefined;
    try {
      if (renderPage && isLandingPageRequest(request)) return renderPage();
      if (isStreamEndpoint && !acceptsEvents(request.headers)) throw notAcceptableError('text/event-stream');
      const admitted = admit(request, caller, allowedKinds);
      const { operation, cost } = admitted;
      const kind = operation.node.operation;
      if (kind !== OperationTypeNode.SUBSCRIPTION) {
        if (!negotiation.isAccepted && !needsEvents) throw notAcceptableError(jsonTypes);
        meter = admission.openMeter(caller, cost);
      }
      const context = new GatewayContext(caller, admitted, meter);
      let result: ExecutionResult;
      if (kind === OperationTypeNode.SUBSCRIPTION) {
        const framing = isStreamEndpoint ? serverSentEvents : chooseFraming(request.headers);
        if (!framing) throw new RequestError(subscriptionHint);
        const subscription =
          validateDocument(schema, context) ?? (await subscribe(context, caller, dependencies));
        if ('events' in subscription || subscription.data !== undefined) reportOperation(operation, caller);
        if ('events' in subscription)
          return {
            framing,
            operation: operation.requirements?.rootFields[0],
            events: subscription.events,
            chargesEvents: operation.edges.length > 0,
          };
        // Errors at /graphql/stream have no `data`, for compatibility with earlier releases.
        result = isStreamEndpoint ? { errors: subscription.errors } : subscription;
      } else {
        if (meter?.ready) await meter.ready;
        result = validateDocument(schema, context) ?? (await engine(context));
        if (result.data !== undefined || result.json !== undefined) reportOperation(operation, caller);
      }
      const response = await createResponse(result, mediaType, context);
      caller.report.codes = response.errors.map(({ extensions }) => extensions.code);
      return finishResponse(response);
    } catch (error) {
      return finishResponse(refusalResponse(error, mediaType, caller));
    } finally {
      meter?.close();
    }
  };
}

/**
 * Validates a document unless it passed before. Returns the errors as a result; undefined for a valid
 * document.
 */
function validateDocument(schema: GraphQLSchema, context: GatewayContext): ExecutionResult | undefined {
  const { document } = context.admittedRequest.operation;
  if (document.isValid) return undefined;
  const errors = validate(schema, document.node, specifiedRules, { maxErrors });
  document.isValid = errors.length === 0;
  return document.isValid ? undefined : { errors: toClientErrors(errors, schema, context) };
}

/** Wraps a response with status 200 as a stream of one event, for clients that accept server-sent events only. */
function wrapAsEvent(response: HttpResponse, type: string): HttpResponse {
  const isEvent = response.status === 200;
  const { start, end } = serverSentEvents;
  return {
    status: response.status,
    headers: { ...response.headers, 'content-type': isEvent ? serverSentEvents.type : type },
    body: isEvent ? start + serverSentEvents.frame({ data: response.body.trimEnd() }) + end : response.body,
  };
}

/** Reports a valid operation to log and metrics. Names in invalid documents are arbitrary text and stay out. */
function reportOperation({ document, node, requirements }: ParsedOperation, { report }: Caller): void {
  report.operation = {
    kind: node.operation,
    name: node.name?.value.slice(0, 100),
    hash: document.hash,
    rootFields: requirements?.rootFields ?? [],
  };
}

/**
 * Opens a subscription. Returns its events, or the errors if it cannot be opened. Throws errors that refuse the whole request. Each
 * event with edges is charged; events that exceed the rate limit wait and are coalesced.
 */
async function subscribe(
  context: GatewayContext,
  caller: Caller,
  { schema, admission }: Pick<ExecuteDependencies, 'schema' | 'admission'>,
): Promise<ExecutionResult | { readonly events: AsyncIterable<StreamEvent> }> {
  const { admittedRequest } = context;
  const { node, document } = admittedRequest.operation;
  const reportErrors = (errors: readonly unknown[]): readonly ClientError[] => {
    const formattedErrors = toClientErrors(errors, schema, context);
    caller.report.codes = formattedErrors.map(({ extensions }) => extensions.code);
    return formattedErrors;
  };
  const args: ExecutionArgs = {
    schema,
    document: document.node,
    operationName: node.name?.value,
    variableValues: await readVariables(schema, context),
    contextValue: context,
  };
  const { endSignal } = context.stream();
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) return { data: null, errors: reportErrors(source.errors ?? []) };

  async function runSelection(streamed: StreamedEvent<unknown>, meter?: Meter) {
    // Each event needs a new context, because loaded values must not outlive the event.
    const contextValue = new GatewayContext(caller, admittedRequest, meter);
    const { data, errors = [] } = await execute({ ...args, rootValue: streamed, contextValue });
    const eventErrors = errors.length > 0 ? reportErrors(errors) : [];
    const { body } = await createResponse({ data, errors: eventErrors }, jsonType, contextValue);
    const event: StreamEvent = { id: streamed.id, data: body.trimEnd() };
    return { event, isLimited: eventErrors.some(({ extensions }) => extensions.code === 'RATE_LIMITED') };
  }

  /** Runs the selection set for one event, queued with other expensive work. */
  async function runMetered(streamed: StreamedEvent<unknown>): ReturnType<typeof runSelection> {
    let meter: Meter | undefined;
    try {
      // No `waitUntilSent`: nothing reports the delivery of a single event.
      meter = admission.openMeter({ ...caller, waitUntilSent: undefined }, admittedRequest.cost);
      if (meter.ready) await meter.ready;
      return await runSelection(streamed, meter);
    } catch (error) {
      const data = JSON.stringify({ data: null, errors: reportErrors([error]) });
      return { event: { id: streamed.id, data }, isLimited: false };
    } finally {
      meter?.close();
    }
  }

  async function* runEvents(sourceEvents: AsyncIterable<unknown>): AsyncGenerator<StreamEvent> {
    const streamedEvents = sourceEvents as AsyncIterable<StreamedEvent<unknown>>;
    const { cost, operation } = admittedRequest;
    try {
      if (operation.edges.length === 0)
        for await (const streamed of streamedEvents) yield (await runSelection(streamed)).event;
      else {
        let limitedEvent: StreamedEvent<unknown> | undefined;
        const wasLimited = (event: StreamedEvent<unknown>): boolean => event === limitedEvent;
        const chargeEvent = (): number => admission.tryCharge(caller, cost);
        for await (const streamed of coalesce(
          streamedEvents,
          calendarOf,
          chargeEvent,
          endSignal,
          wasLimited,
        )) {
          const { event, isLimited } = await runMetered(streamed);
          limitedEvent = isLimited ? streamed : undefined;
          if (!limitedEvent) yield event;
        }
      }
    } catch (error) {
      yield endEvent(reportErrors([error]));
      return;
    }
    const reason: unknown = endSignal.reason;
    if (reason instanceof AppError) yield endEvent(reportErrors([reason]));
  }
  return { events: runEvents(source) };
}

/** Returns the calendar whose changes may be coalesced; undefined for an error, which is never coalesced. */
const calendarOf = ({ value }: StreamedEvent<unknown>): unknown =>
  value instanceof AppError ? undefined : (value as { readonly calendarId?: unknown }).calendarId;

const endEvent = (errors: readonly ClientError[]): StreamEvent => ({
  data: JSON.stringify({ errors }),
  isEnd: true,
});
