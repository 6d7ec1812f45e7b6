import { isAbstractType, validate, type GraphQLSchema } from 'graphql';
import { clientErrors } from '../errors.ts';
import type { Engine } from '../execute.ts';
import type { Documents, ParsedOperation } from '../request/documents.ts';
import { compilePlan, type Plan } from './plan.ts';
import { createReplay } from './replay.ts';
import { run } from './run.ts';
import { NotCompiled } from './writer.ts';
import type { Variables } from '../input/variable-reader.ts';

/** `on`: a document is compiled after the next engine answered it without an error; `eager`: before its first answer. */
export type CompileWhen = 'on' | 'eager';

/**
 * Runs operations whose document was compiled, and leaves the others to the next engine before anything of them has run.
 * Listed documents are compiled at the start.
 */
export function createCompiledEngine(
  schema: GraphQLSchema,
  next: Engine,
  documents: Documents,
  when: CompileWhen = 'on',
): Engine {
  const replay = createReplay(schema);
  // A fragment on an abstract type may apply to some values only; plans apply each fragment.
  const isAbstract = Object.values(schema.getTypeMap()).some(isAbstractType);
  const compile = (operation: ParsedOperation): void => {
    try {
      if (isAbstract) throw new NotCompiled('abstract types');
      documents.keepPlan(operation, compilePlan(schema, operation));
    } catch (error) {
      if (!(error instanceof NotCompiled)) throw error;
      documents.keepPlan(operation, 'not compiled');
    }
  };
  const isValid = ({ document }: ParsedOperation): boolean =>
    (document.isValid ||= validate(schema, document.node, undefined, { maxErrors: 1 }).length === 0);
  for (const { operations } of documents.listed) operations.forEach(compile);

  return async (context) => {
    const { operation } = context.admitted;
    if (operation.plan === undefined && when === 'eager' && isValid(operation)) compile(operation);
    const { plan } = operation;
    const prepared = typeof plan === 'object' ? prepare(plan, context.admitted.variables) : undefined;
    if (!prepared) {
      const result = await next(context);
      if (plan === undefined && result.data && !result.errors?.length) compile(operation);
      return result;
    }
    const { steps, variables, warnings, isMutation } = prepared;
    context.variableWarnings = warnings;
    const { json, outcomes } = await run(steps, variables, isMutation, context);
    if (json !== undefined) return { json };
    // The library reports what was unexpected: an error, a null where none may be, a wrong type.
    const { data, errors } = await replay(operation, variables, outcomes);
    return { data, ...(errors && { errors: clientErrors(errors, schema, context) }) };
  };
}

/** Coerces variables and arguments before anything runs. Undefined for a coercion error, which the next engine reports. */
function prepare({ isMutation, readVariables, rootsFor }: Plan, sent: Variables) {
  try {
    const { values: variables, issues, warnings } = readVariables(sent);
    if (issues.length > 0) return undefined;
    const steps = rootsFor(variables).map((root) => ({ root, args: root.readArguments(variables) }));
    return { isMutation, variables, warnings, steps };
  } catch {
    return undefined;
  }
}
