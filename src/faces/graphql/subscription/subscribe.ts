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
import type { StreamEvent } from '../../../http/face.ts';
import { answerOf, type Result } from '../answer/answer.ts';
import { bounded, maxErrors } from '../answer/bounds.ts';
import type { Caller } from '../../../access/caller.ts';
import { contextOf, type GatewayContext } from '../context.ts';
import { clientError, type ClientError } from '../errors.ts';
import { createDocumentErrors } from '../input/document-errors.ts';
import { readVariables } from '../input/variables.ts';
import { jsonType } from '../request/accept.ts';
import type { Introspection } from '../request/operation-scopes.ts';
import type { Admitted } from '../request/admission.ts';

/** Opens the stream of a subscription; a result is the errors because of which it has none. Throws what refuses a request as a whole. */
export type Subscribe = (
  admitted: Admitted,
  context: GatewayContext,
  caller: Caller,
) => Promise<Result | { readonly events: AsyncIterable<StreamEvent> }>;

export interface SubscribeParts {
  readonly schema: GraphQLSchema;
  readonly introspection: Introspection;
}

export function createSubscribe({ schema, introspection }: SubscribeParts): Subscribe {
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
      context,
    });
    return { schema, document, operationName: params.operationName, variableValues, contextValue: context };
  }

  async function* results(
    source: AsyncIterable<unknown>,
    args: ExecutionArgs,
    { parsed }: Admitted,
    caller: Caller,
    ended: AbortSignal,
  ): AsyncGenerator<StreamEvent> {
    try {
      for await (const streamed of source as AsyncIterable<Streamed<unknown>>) {
        // A new context for each event: loaded values must not outlive it.
        const context = contextOf(caller, introspection, parsed);
        const { data, errors } = await execute({ ...args, rootValue: streamed, contextValue: context });
        const result: Result = { data, ...(errors && { errors: report(errors, caller) }) };
        yield { id: streamed.id, data: (await answerOf(result, jsonType, false, context)).body.trimEnd() };
      }
    } catch (error) {
      yield eventOf(report([error], caller));
      return;
    }
    const reason: unknown = ended.reason;
    if (reason instanceof AppError) yield eventOf(report([reason], caller));
  }

  return async (admitted, context, caller) => {
    const args = await prepare(admitted, context);
    if (!('schema' in args)) return { errors: report(args, caller) };
    const { ended } = context.stream();
    const source = await createSourceEventStream(args);
    if (!(Symbol.asyncIterator in source)) return { data: null, errors: report(source.errors ?? [], caller) };
    return { events: results(source, args, admitted, caller, ended) };
  };
}

/** The errors in their final form; their codes go into the report. */
function report(faults: readonly unknown[], { requestId, log, report: ofRequest }: Caller): ClientError[] {
  const errors = bounded(faults.map((fault) => clientError(fault, requestId, log)));
  ofRequest.codes = errors.map(({ extensions }) => extensions.code);
  return errors;
}

/** The event of errors that end a stream. */
const eventOf = (errors: readonly ClientError[]): StreamEvent => ({
  data: JSON.stringify({ errors }),
  isEnd: true,
});
