import { type Caller, requireScopes, type ScopeRule } from '../access/permissions.ts';
import type { GetSelection } from '../core/fields/table.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';
import type { Issue, Warning } from '../core/errors.ts';
import type { Fields } from '../core/json.ts';
import { Report } from '../core/report.ts';
import { type Admission, RequestContext } from './context.ts';
import { createInputError } from './failure.ts';
import { readPageInTurn, type Operation, type Operations } from './operation.ts';

/** Declaration of an operation in the schema. */
export interface OperationDeclaration {
  readonly scopes: ScopeRule;
  /** Computes the cost if all fields of the result are selected. */
  costOf(args: Fields): number;
  /** Coerces arguments. Paths of the issues start at the argument. */
  readArguments(args: unknown): { readonly args: Fields; readonly issues: readonly Issue[] };
  /** Whether the operation has the argument `validateOnly`, and these arguments suffice for a dry run. */
  supportsDryRun(args: Fields): boolean;
}

/** Outcome of an operation that succeeded. */
export interface OperationResult {
  /** A page for a page query; an async iterable of events for a stream. */
  readonly value: unknown;
  readonly warnings: readonly Warning[];
  /** Whether a write had nothing to change. */
  readonly unchanged: boolean;
}

/** Additions of a face to the arguments that a client sent. */
interface RunOptions {
  /** Issues found by the face; paths start at the argument. */
  readonly issues?: readonly Issue[];
  /** Arguments that the face sets itself; they override those of the client. */
  readonly args?: Fields;
  /** Arguments whose absence is not reported if the face has issues. */
  readonly optionalWhenInvalid?: readonly string[];
  readonly selected?: GetSelection | undefined;
}

export type OperationRunner = ReturnType<typeof createOperationRunner>;

/** Creates the runner of operations for faces without documents. */
export function createOperationRunner(
  operations: Operations,
  declarations: ReadonlyMap<string, OperationDeclaration>,
  admission: Admission,
) {
  const declaredOperations = new Map(
    Object.entries(operations).flatMap(([name, operation]) => {
      const declaration = declarations.get(name);
      return declaration ? [[name, { ...declaration, operation }] as const] : [];
    }),
  );
  const findDeclaredOperation = (name: string) => {
    const entry = declaredOperations.get(name);
    if (!entry) throw new Error(`there is no operation ${name}`);
    return entry;
  };
  return {
    kindOf: (name: string): Operation['kind'] | undefined => declaredOperations.get(name)?.operation.kind,
    scopesOf: (name: string): ScopeRule => findDeclaredOperation(name).scopes,
    /** Authorizes, charges and runs an operation with arguments from a client. Errors other than AppError must be masked. */
    async run(
      name: string,
      sentArgs: unknown,
      caller: Caller,
      options: RunOptions = {},
    ): Promise<OperationResult> {
      const entry = findDeclaredOperation(name);
      const { input, cost } = admission.decide(caller, (requestCost) => {
        requireScopes(caller.viewer, [entry.scopes]);
        const { args, issues } = entry.readArguments(sentArgs);
        const operationCost = entry.costOf(args);
        requestCost.setCost(operationCost);
        return { input: { args, issues: mergeIssues(options, issues) }, cost: operationCost };
      });
      const meter = admission.openMeter(caller, cost);
      try {
        if (meter.ready) await meter.ready;
        await eventLoop.enter();
        caller.report.operation = { kind: graphqlKinds[entry.operation.kind], rootFields: [name] };
        const context = new RequestContext(caller, meter);
        const args = options.args ? { ...input.args, ...options.args } : input.args;
        if (input.issues.length > 0) {
          const call = { operation: entry.operation, args, supportsDryRun: entry.supportsDryRun(args) };
          throw await createInputError(input.issues, [call], context);
        }
        return await runWithReport(entry.operation, args, context, options.selected);
      } finally {
        meter.close();
      }
    },
  };
}

/** Appends issues of arguments to those of the face, without repeating an issue of the same value. */
function mergeIssues({ issues = [], optionalWhenInvalid = [] }: RunOptions, argIssues: readonly Issue[]) {
  if (issues.length === 0) return argIssues;
  const report = new Report(issues);
  report.addIssues(
    argIssues.filter(
      ({ path: [argument], reason }) =>
        reason !== 'required' || !optionalWhenInvalid.includes(String(argument)),
    ),
  );
  return report.issues;
}

/** Kinds of operations in terms of GraphQL, for the request report. */
const graphqlKinds = { query: 'query', page: 'query', write: 'mutation', stream: 'subscription' } as const;

/** Runs an operation, and adds its report to the value. */
async function runWithReport(
  operation: Operation,
  coercedArgs: Fields,
  context: RequestContext,
  selected?: GetSelection,
): Promise<OperationResult> {
  const args = coercedArgs as never; // the types were checked against the schema that coerced them
  if (operation.kind === 'page')
    return { value: await readPageInTurn(operation, args, context, selected), ...reportOfReads };
  if (operation.kind !== 'write')
    return { value: await operation.run(args, context, selected), ...reportOfReads };
  const result = await operation.run(args, context, selected);
  return {
    value: operation.toValue(result),
    warnings: result.warnings ?? [],
    unchanged: result.unchanged === true,
  };
}

/** Report of operations that change nothing. */
const reportOfReads = { warnings: [], unchanged: false };
