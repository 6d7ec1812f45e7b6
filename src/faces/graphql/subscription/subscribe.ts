import {
  createSourceEventStream,
  execute,
  specifiedRules,
  validate,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import { AppError } from '../../../core/kernel/errors.ts';
import type { Streamed } from '../../../core/runtime/stream.ts';
import type { StreamEvent } from '../../../http/face.ts';
import { answerOf, type Result } from '../answer/answer.ts';
import { maxErrors } from '../answer/bounds.ts';
import { clientErrors } from '../answer/client-errors.ts';
import type { Caller } from '../../../access/caller.ts';
import { GatewayContext } from '../context.ts';
import type { ClientError } from '../errors.ts';
import { readVariables } from '../input/variables.ts';
import { jsonType } from '../request/accept.ts';
import type { Introspection } from '../request/operation-scopes.ts';

/** Opens the stream of a subscription; a result is the errors because of which it has none. Throws what refuses a request as a whole. */
export type Subscribe = (
  context: GatewayContext,
  caller: Caller,
) => Promise<Result | { readonly events: AsyncIterable<StreamEvent> }>;

export interface SubscribeParts {
  readonly schema: GraphQLSchema;
  readonly introspection: Introspection;
}

/** The document is validated and the variables are coerced once for each stream. */
export function createSubscribe({ schema, introspection }: SubscribeParts): Subscribe {
  return async (context, caller) => {
    const { admitted } = context;
    const { node, document } = admitted.operation;
    /** The errors in their final form; their codes go into the report. */
    const report = (errors: readonly unknown[]): readonly ClientError[] => {
      const final = clientErrors(errors, schema, context);
      caller.report.codes = final.map(({ extensions }) => extensions.code);
      return final;
    };
    const faults = document.isValid ? [] : validate(schema, document.node, specifiedRules, { maxErrors });
    if (faults.length > 0) return { errors: report(faults) };
    document.isValid = true;
    const args: ExecutionArgs = {
      schema,
      document: document.node,
      operationName: node.name?.value,
      variableValues: await readVariables(schema, context),
      contextValue: context,
    };
    const { ended } = context.stream();
    const source = await createSourceEventStream(args);
    if (!(Symbol.asyncIterator in source)) return { data: null, errors: report(source.errors ?? []) };

    async function* results(streams: AsyncIterable<unknown>): AsyncGenerator<StreamEvent> {
      try {
        for await (const streamed of streams as AsyncIterable<Streamed<unknown>>) {
          // A new context for each event: loaded values must not outlive it.
          const contextValue = new GatewayContext(caller, admitted, introspection);
          const { data, errors } = await execute({ ...args, rootValue: streamed, contextValue });
          const result: Result = { data, ...(errors && { errors: report(errors) }) };
          const { body } = await answerOf(result, jsonType, false, contextValue);
          yield { id: streamed.id, data: body.trimEnd() };
        }
      } catch (error) {
        yield eventOf(report([error]));
        return;
      }
      const reason: unknown = ended.reason;
      if (reason instanceof AppError) yield eventOf(report([reason]));
    }
    return { events: results(source) };
  };
}

/** The event of errors that end a stream. */
const eventOf = (errors: readonly ClientError[]): StreamEvent => ({
  data: JSON.stringify({ errors }),
  isEnd: true,
});
