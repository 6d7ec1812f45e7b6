import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import { eventLoop } from '../../../core/runtime/event-loop.ts';
import { LengthBudget, type Fields } from '../../../core/json.ts';
import type { GatewayContext } from '../context.ts';
import type { Engine } from '../execute.ts';
import type { ParsedDocument, ParsedOperation } from '../request/documents.ts';
import { compilePlan, isPromise, NotCompiledError, type Plan } from './writer.ts';

/** `on`: a document is compiled after the next engine ran it without an error; `eager`: before its first run. */
export type CompileTiming = 'on' | 'eager';

/** Runs compiled operations (those of the manifest are compiled at the start) and passes all others to the next engine unexecuted. */
export function createCompiledEngine(
  schema: GraphQLSchema,
  nextEngine: Engine,
  listedDocuments: readonly ParsedDocument[],
  compileTiming: CompileTiming = 'on',
): Engine {
  const compile = (operation: ParsedOperation): void => {
    try {
      operation.plan = compilePlan(schema, operation);
    } catch (error) {
      if (!(error instanceof NotCompiledError)) throw error;
      operation.plan = 'not compiled';
    }
  };
  for (const { operations } of listedDocuments) operations.forEach(compile);

  return async (context) => {
    const { operation } = context.admittedRequest;
    if (operation.plan === undefined && compileTiming === 'eager') compile(operation);
    const { plan } = operation;
    const preparedCalls =
      typeof plan === 'object' ? prepareCalls(plan, context.admittedRequest.variables) : undefined;
    if (!preparedCalls) {
      const result = await nextEngine(context);
      if (plan === undefined && result.data && !result.errors?.length) compile(operation);
      return result;
    }
    context.variableWarnings = preparedCalls.warnings;
    const json = await runCalls(preparedCalls, context);
    // The next engine reports errors, forbidden nulls and wrong types. It does not run the resolvers again.
    return json === undefined ? nextEngine(context) : { json };
  };
}

/** Coerces variables and arguments. Undefined for a coercion error, which the next engine reports. */
function prepareCalls({ readVariables, rootsFor }: Plan, sentVariables: Fields) {
  try {
    const { values: variables, issues, warnings } = readVariables(sentVariables);
    if (issues.length > 0) return undefined;
    const calls = rootsFor(variables).map((root) => ({ root, args: root.readArguments(variables) }));
    return { variables, warnings, calls };
  } catch {
    return undefined;
  }
}

/** Runs root fields, those of a mutation serially. Returns the JSON, or undefined with the replays in the context if an error must be reported. */
async function runCalls(
  { calls, variables }: NonNullable<ReturnType<typeof prepareCalls>>,
  context: GatewayContext,
): Promise<string | undefined> {
  const replays = new Map<string, () => unknown>();
  const writeState = { budget: new LengthBudget(), context };
  const members: string[] = [];
  const isMutation = context.admittedRequest.operation.node.operation === OperationTypeNode.MUTATION;
  let isErrorFree = true;

  const runCall = async (
    { root: { resolve, info, key, prefix, write }, args }: (typeof calls)[number],
    index: number,
  ): Promise<void> => {
    let value: unknown;
    try {
      const result = resolve(undefined, args, context, { variableValues: variables, ...info });
      replays.set(key, () => result);
      value = isPromise(result) ? await result : result;
    } catch (error) {
      if (!replays.has(key))
        replays.set(key, () => {
          throw error;
        });
      isErrorFree = false;
    }
    if (!isErrorFree) return;
    try {
      const json = write(value, writeState);
      members[index] = prefix + (typeof json === 'string' ? json : await json);
      if (typeof json === 'string' && writeState.budget.spend(json.length)) await eventLoop.yield();
    } catch {
      isErrorFree = false;
    }
  };

  const [singleCall] = calls;
  if (calls.length === 1 && singleCall) await runCall(singleCall, 0);
  else if (isMutation) for (const [index, call] of calls.entries()) await runCall(call, index);
  else await Promise.all(calls.map(runCall));
  if (isErrorFree) return `{${members.join(',')}}`;
  context.rootReplays = replays;
  return undefined;
}
