import type { GraphQLSchema } from 'graphql';
import { eventLoop } from '../../../core/runtime/event-loop.ts';
import { LengthBudget } from '../../../core/json.ts';
import type { GatewayContext, Outcome } from '../context.ts';
import type { Engine } from '../execute.ts';
import type { Variables } from '../input/variable-reader.ts';
import type { ParsedDocument, ParsedOperation } from '../request/documents.ts';
import { compilePlan, isPromise, NotCompiled, type Plan, type Root } from './writer.ts';

/** `on`: a document is compiled after the next engine answered it without an error; `eager`: before its first answer. */
export type CompileWhen = 'on' | 'eager';

/** Runs operations whose document was compiled (listed ones: at the start); the next engine gets others before anything of them ran. */
export function createCompiledEngine(
  schema: GraphQLSchema,
  next: Engine,
  listed: readonly ParsedDocument[],
  when: CompileWhen = 'on',
): Engine {
  const compile = (operation: ParsedOperation): void => {
    try {
      operation.plan = compilePlan(schema, operation);
    } catch (error) {
      if (!(error instanceof NotCompiled)) throw error;
      operation.plan = 'not compiled';
    }
  };
  for (const { operations } of listed) operations.forEach(compile);

  return async (context) => {
    const { operation } = context.admitted;
    if (operation.plan === undefined && when === 'eager') compile(operation);
    const { plan } = operation;
    const prepared = typeof plan === 'object' ? prepare(plan, context.admitted.variables) : undefined;
    if (!prepared) {
      const result = await next(context);
      if (plan === undefined && result.data && !result.errors?.length) compile(operation);
      return result;
    }
    context.variableWarnings = prepared.warnings;
    const json = await runRoots(prepared, context);
    // The next engine reports an error, a null where none may be, or a wrong type. It does not run the resolvers again.
    return json === undefined ? next(context) : { json };
  };
}

/** A root field with its arguments. */
interface Step {
  readonly root: Root;
  readonly args: Record<string, unknown>;
}

/** Coerces variables and arguments before anything runs. Undefined for a coercion error, which the next engine reports. */
function prepare({ isMutation, readVariables, rootsFor }: Plan, sent: Variables) {
  try {
    const { values: variables, issues, warnings } = readVariables(sent);
    if (issues.length > 0) return undefined;
    const steps = rootsFor(variables).map((root): Step => ({ root, args: root.readArguments(variables) }));
    return { isMutation, variables, warnings, steps };
  } catch {
    return undefined;
  }
}

/**
 * Runs root fields: those of a mutation one after the other, those of a query together. Returns the data as JSON. When a
 * resolver failed or a value could not be written, the context has the outcomes instead.
 */
async function runRoots(
  { steps, variables, isMutation }: NonNullable<ReturnType<typeof prepare>>,
  context: GatewayContext,
): Promise<string | undefined> {
  const outcomes = new Map<string, Outcome>();
  const state = { budget: new LengthBudget(), context };
  const members: string[] = [];
  let isExpected = true;

  const runStep = async (
    { root: { resolve, info, key, head, write }, args }: Step,
    index: number,
  ): Promise<void> => {
    let value: unknown;
    let waited = false;
    try {
      value = resolve(undefined, args, context, { variableValues: variables, ...info });
      if (isPromise(value)) {
        waited = true;
        value = await value;
      }
      outcomes.set(key, { value, waited });
    } catch (error) {
      outcomes.set(key, { error, waited });
      isExpected = false;
    }
    if (!isExpected) return;
    try {
      const written = write(value, state);
      members[index] = head + (typeof written === 'string' ? written : await written);
      if (typeof written === 'string' && state.budget.take(written.length)) await eventLoop.yield();
    } catch {
      isExpected = false;
    }
  };

  const [only] = steps;
  if (steps.length === 1 && only) await runStep(only, 0);
  else if (isMutation) for (const [index, step] of steps.entries()) await runStep(step, index);
  else await Promise.all(steps.map(runStep));
  if (isExpected) return `{${members.join(',')}}`;
  context.outcomes = outcomes;
  return undefined;
}
