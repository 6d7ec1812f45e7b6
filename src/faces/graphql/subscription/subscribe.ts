import {
  createSourceEventStream,
  execute,
  specifiedRules,
  validate,
  type ExecutionArgs,
  type GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import { AppError } from '../../../core/kernel/errors.ts';
import type { Streamed } from '../../../core/runtime/stream.ts';
import type { EventStream, HttpAnswer, HttpRequest, StreamEvent } from '../../../http/face.ts';
import { answerOf, refusalAnswer, type Result } from '../answer/answer.ts';
import { bounded, maxErrors } from '../answer/bounds.ts';
import type { Caller } from '../../../access/caller.ts';
import { contextOf, type GatewayContext } from '../context.ts';
import { clientError, refusalOf, type ClientError } from '../errors.ts';
import { reportOperation } from '../execute.ts';
import { createDocumentErrors } from '../input/document-errors.ts';
import type { InputChecks } from '../../../operations/module.ts';
import { readVariables } from '../input/variables.ts';
import { answerType, jsonType, takesEvents } from '../request/accept.ts';
import type { Introspection } from '../request/operation-scopes.ts';
import type { Admitted, AdmitDocument } from '../request/admission.ts';
import { RequestFault } from '../request/params.ts';

/**
 * Opens the stream of a subscription. A request that is refused as a whole, or is malformed, is answered; other errors are
 * the stream's only event, as the protocol demands. Never throws.
 */
export type Subscribe = (request: HttpRequest, caller: Caller) => Promise<HttpAnswer | EventStream>;

export interface SubscribeParts {
  readonly schema: GraphQLSchema;
  readonly admit: AdmitDocument;
  readonly checks: InputChecks;
  readonly introspection: Introspection;
}

export function createSubscribe({ schema, admit, checks, introspection }: SubscribeParts): Subscribe {
  /** Validates the document and coerces the variables, once for each stream. Returns the document's errors; throws others. */
  async function prepare(
    { document, operation, params }: Admitted,
    context: GatewayContext,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const faults = validate(schema, document, specifiedRules, { maxErrors });
    if (faults.length > 0)
      return faults.map(createDocumentErrors(schema, document, faults, context.seesSchema));
    const variableValues = await readVariables({
      schema,
      document,
      operation,
      variables: params.variables,
      checks,
      context,
    });
    return { schema, document, operationName: params.operationName, variableValues, contextValue: context };
  }

  async function* results(
    source: AsyncIterable<unknown>,
    args: ExecutionArgs,
    caller: Caller,
  ): AsyncGenerator<StreamEvent> {
    try {
      for await (const streamed of source as AsyncIterable<Streamed<unknown>>) {
        // A new context for each event: loaded values must not outlive it.
        const context = contextOf(caller, introspection);
        const { data, errors } = await execute({ ...args, rootValue: streamed, contextValue: context });
        const result: Result = { data, ...(errors && { errors: report(errors, caller) }) };
        yield { id: streamed.id, data: (await answerOf(result, jsonType, false, context)).body.trimEnd() };
      }
    } catch (error) {
      yield eventOf(report([error], caller));
      return;
    }
    const reason: unknown = caller.stream?.ended.reason;
    if (reason instanceof AppError) yield eventOf(report([reason], caller));
  }

  return async (request, caller) => {
    const refused = (faults: readonly unknown[]): HttpAnswer | EventStream => {
      const [first] = faults;
      const reported = report(faults, caller);
      const whole = first instanceof RequestFault || reported.some((error) => refusalOf(error) !== undefined);
      return whole
        ? refusalAnswer(first, answerType(request.headers).type, caller)
        : { events: only(eventOf(reported)) };
    };
    try {
      if (!takesEvents(request))
        throw new RequestFault('The Accept header must allow text/event-stream.', 406);
      const admitted = admit(request, caller, 'stream');
      const context = contextOf(caller, introspection);
      const args = await prepare(admitted, context);
      if (!('schema' in args)) return refused(args);
      reportOperation(admitted, caller);
      const source = await createSourceEventStream(args);
      if (!(Symbol.asyncIterator in source)) return refused(source.errors ?? []);
      return { operation: admitted.rootFields[0], events: results(source, args, caller) };
    } catch (error) {
      return refused([error]);
    }
  };
}

/** The errors in their final form; their codes go into the report. */
function report(faults: readonly unknown[], { requestId, log, report: ofRequest }: Caller): ClientError[] {
  const errors = bounded(faults.map((fault) => clientError(fault, requestId, log)));
  ofRequest.codes = errors.map(({ extensions }) => extensions.code);
  return errors;
}

const eventOf = (errors: readonly ClientError[]): StreamEvent => ({ data: JSON.stringify({ errors }) });

async function* only(event: StreamEvent): AsyncGenerator<StreamEvent> {
  yield event;
}
