import { Kind, validate, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Result } from '../answer/answer.ts';
import { clientErrors } from '../answer/client-errors.ts';
import type { GatewayContext } from '../context.ts';
import type { Engine } from '../execute.ts';
import type { Admitted } from '../request/admission.ts';
import { compilePlan, type Plan } from './plan.ts';
import { createReplay, type Outcome, type Replay } from './replay.ts';
import { run, type Step } from './run.ts';
import { NotCompiled } from './selection.ts';
import type { Variables } from '../input/variable-reader.ts';

/** Upper bound of the cache in bytes (estimated); the least recently used plans are evicted. */
const maxSize = 64_000_000;

/** `on`: a document is compiled after the next engine answered it without an error; `eager`: before its first answer. */
export type CompileWhen = 'on' | 'eager';

/**
 * Runs operations whose document was compiled, and leaves the others to the next engine before anything of them has run.
 * Listed documents that fit the schema are compiled at the start and never evicted.
 */
export function createCompiledEngine(
  schema: GraphQLSchema,
  next: Engine,
  when: CompileWhen = 'on',
  listed: Iterable<DocumentNode> = [],
): Engine {
  const plans = new LRUCache<OperationDefinitionNode, Plan | 'not compiled'>({
    maxSize,
    sizeCalculation: (plan, { loc }) =>
      plan === 'not compiled' ? 100 + (loc?.source.body.length ?? 0) * 50 : plan.size,
  });
  const replay = createReplay(schema);

  const compile = (document: DocumentNode, operation: OperationDefinitionNode): Plan | 'not compiled' => {
    try {
      return compilePlan(schema, document, operation);
    } catch (error) {
      if (error instanceof NotCompiled) return 'not compiled';
      throw error;
    }
  };

  const listedPlans = new Map<OperationDefinitionNode, Plan | 'not compiled'>();
  for (const document of listed) {
    for (const one of document.definitions)
      if (one.kind === Kind.OPERATION_DEFINITION) listedPlans.set(one, compile(document, one));
  }

  return async (admitted, context) => {
    const { document, operation } = admitted;
    let plan = listedPlans.get(operation) ?? plans.get(operation);
    if (
      plan === undefined &&
      when === 'eager' &&
      validate(schema, document, undefined, { maxErrors: 1 }).length === 0
    ) {
      plans.set(operation, (plan = compile(document, operation)));
    }
    if (plan === undefined) {
      const result = await next(admitted, context);
      if (result.data && !result.errors?.length) plans.set(operation, compile(document, operation));
      return result;
    }
    const prepared = plan === 'not compiled' ? undefined : prepare(plan, admitted.params.variables);
    if (!prepared) return next(admitted, context);
    context.variableWarnings = prepared.warnings;
    const { json, outcomes } = await run(prepared.steps, prepared.variables, prepared.isMutation, context);
    return json === undefined
      ? complete(replay, schema, admitted, prepared.variables, outcomes, context)
      : { json };
  };
}

interface Prepared {
  readonly isMutation: boolean;
  readonly variables: Variables;
  readonly warnings: GatewayContext['variableWarnings'];
  readonly steps: readonly Step[];
}

/** Coerces variables and arguments before anything runs. Undefined for a coercion error, which the next engine reports. */
function prepare(plan: Plan, sent: Variables): Prepared | undefined {
  try {
    const { values: variables, issues, warnings } = plan.readVariables(sent);
    if (issues.length > 0) return undefined;
    const steps = plan.rootsFor(variables).map((root) => ({ root, args: root.readArguments(variables) }));
    return { isMutation: plan.isMutation, variables, warnings, steps };
  } catch {
    return undefined;
  }
}

/** Has the GraphQL library report what was unexpected: an error, a null where none may be, a wrong type. */
async function complete(
  replay: Replay,
  schema: GraphQLSchema,
  admitted: Admitted,
  variables: Variables,
  outcomes: ReadonlyMap<string, Outcome>,
  { seesSchema, requestId, log }: GatewayContext,
): Promise<Result> {
  const { data, errors } = await replay(admitted, variables, outcomes);
  return {
    data,
    ...(errors && { errors: clientErrors(errors, { ...admitted, schema, seesSchema, requestId, log }) }),
  };
}
