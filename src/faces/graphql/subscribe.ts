import { createSourceEventStream, execute, type ExecutionArgs, type GraphQLSchema } from 'graphql';
import type { Caller } from '../../access/caller.ts';
import { AppError } from '../../core/kernel/errors.ts';
import type { Streamed } from '../../core/runtime/stream.ts';
import { answerOf, type Result } from './answer/answer.ts';
import { GatewayContext } from './context.ts';
import { clientErrors, type ClientError } from './errors.ts';
import { readVariables } from './input/variables.ts';
import { jsonType } from './request/params.ts';
import type { Introspection } from './request/documents.ts';
import type { StreamEvent } from '../../http/face.ts';

/** Opens a subscription. Returns its events, or the errors if it cannot be opened. Throws refusals of the whole request. */
export type Subscribe = (
  context: GatewayContext,
  caller: Caller,
) => Promise<Result | { readonly events: AsyncIterable<StreamEvent> }>;

interface SubscribeDependencies {
  readonly schema: GraphQLSchema;
  readonly introspection: Introspection;
}

/** The variables are coerced once for each stream. */
export function createSubscribe({ schema, introspection }: SubscribeDependencies): Subscribe {
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

    async function* results(streams: AsyncIterable<unknown>): AsyncGenerator<StreamEvent> {
      try {
        for await (const streamed of streams as AsyncIterable<Streamed<unknown>>) {
          // A new context for each event: loaded values must not outlive it.
          const contextValue = new GatewayContext(caller, admitted, introspection);
          const { data, errors } = await execute({ ...args, rootValue: streamed, contextValue });
          const result: Result = { data, ...(errors && { errors: finalErrors(errors) }) };
          const { body } = await answerOf(result, jsonType, false, contextValue);
          yield { id: streamed.id, data: body.trimEnd() };
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

/** The event of errors that end a stream. */
const eventOf = (errors: readonly ClientError[]): StreamEvent => ({
  data: JSON.stringify({ errors }),
  isEnd: true,
});
