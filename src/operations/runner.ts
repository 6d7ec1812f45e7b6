import { type Caller, requireScopes, type ScopeRule } from '../access/permissions.ts';
import type { Selected } from '../core/fields/table.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';
import type { Issue, Warning } from '../core/errors.ts';
import { Report } from '../core/report.ts';
import { type Admission, RequestContext } from './context.ts';
import { inputError } from './failure.ts';
import { pageOf, type Operation, type Operations } from './operation.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments that were read. */
export interface ReadArguments {
  /** Arguments without coercion errors. */
  readonly args: Arguments;
  /** The issues of those that do not fit; paths start at the argument. */
  readonly issues: readonly Issue[];
}

/** What the schema declares of an operation. */
export interface Declaration {
  /** The alternatives of scopes that open it. */
  readonly scopes: ScopeRule;
  /** What it costs with these arguments when all fields of its answer are selected. */
  costOf(args: Arguments): number;
  /** The arguments as the schema has them, with its defaults, and the issues of those that do not fit. */
  readArguments(args: unknown): ReadArguments;
  /** Whether it can be run with these arguments without storing anything. */
  supportsDryRun(args: Arguments): boolean;
}

export interface OperationResult {
  /** The page of a page query; the events of a stream, as an async iterable. */
  readonly value: unknown;
  readonly warnings: readonly Warning[];
  /** True for a write that found everything as asked for. */
  readonly unchanged: boolean;
}

/** What a face adds to the arguments that a client sent. */
export interface RunOptions {
  /** What the face itself finds wrong; paths start at the argument. */
  readonly issues?: readonly Issue[];
  /** Arguments that the schema does not have, and clients cannot send. */
  readonly args?: Arguments;
  /** Arguments whose absence is not the client's fault where the face finds something wrong. */
  readonly optionalWhenInvalid?: readonly string[];
  /** What is asked for of the value; absent: the whole. */
  readonly selected?: Selected | undefined;
}

/** Runs operations for faces without documents. */
export type OperationRunner = ReturnType<typeof createOperationRunner>;

interface RunnerDependencies {
  readonly operations: Operations;
  readonly declarations: ReadonlyMap<string, Declaration>;
  readonly admission: Admission;
}

export function createOperationRunner({ operations, declarations, admission }: RunnerDependencies) {
  const byName = new Map(
    Object.entries(operations).flatMap(([name, operation]) => {
      const declaration = declarations.get(name);
      return declaration ? [[name, { ...declaration, operation }] as const] : [];
    }),
  );
  const find = (name: string) => {
    const known = byName.get(name);
    if (!known) throw new Error(`there is no operation ${name}`);
    return known;
  };
  return {
    /** Undefined where there is no such operation. */
    kindOf: (name: string): Operation['kind'] | undefined => byName.get(name)?.operation.kind,
    /** The alternatives of scopes that open it. */
    scopesOf: (name: string): ScopeRule => find(name).scopes,
    /** Admits, charges and runs an operation, with arguments as a client sent them. Throws AppError for errors that the caller may see; others must be masked. */
    async run(
      name: string,
      given: unknown,
      caller: Caller,
      beside: RunOptions = {},
    ): Promise<OperationResult> {
      const known = find(name);
      const { read, cost } = admission.decide(caller, (bill) => {
        requireScopes(caller.viewer, [known.scopes]);
        const { args, issues } = known.readArguments(given);
        const cost = known.costOf(args);
        bill.settle(cost);
        return { read: { args, issues: mergeIssues(beside, issues) }, cost };
      });
      const meter = admission.openMeter(caller, cost);
      try {
        if (meter.ready) await meter.ready;
        await eventLoop.enter();
        caller.report.operation = { kind: kinds[known.operation.kind], rootFields: [name] };
        const context = new RequestContext(caller);
        const args = beside.args ? { ...read.args, ...beside.args } : read.args;
        if (read.issues.length > 0) {
          const call = { operation: known.operation, args, supportsDryRun: known.supportsDryRun(args) };
          throw await inputError(read.issues, [call], context);
        }
        return await resultOf(known.operation, args, context, beside.selected);
      } finally {
        meter.leave();
      }
    },
  };
}

/** The issues of arguments behind those of the face: a value that the face finds wrong is said to be so once. */
function mergeIssues({ issues: own = [], optionalWhenInvalid = [] }: RunOptions, issues: readonly Issue[]) {
  if (own.length === 0) return issues;
  const report = new Report(own);
  report.add(
    issues.filter(
      ({ path: [argument], reason }) =>
        reason !== 'required' || !optionalWhenInvalid.includes(String(argument)),
    ),
  );
  return report.issues;
}

const kinds = { query: 'query', page: 'query', write: 'mutation', stream: 'subscription' } as const;

async function resultOf(
  operation: Operation,
  given: Arguments,
  context: RequestContext,
  selected?: Selected,
): Promise<OperationResult> {
  const args = given as never; // coerced by the schema, whose types the operation's were checked against
  if (operation.kind === 'page')
    return { value: await pageOf(operation, args, context, selected), ...nothing };
  if (operation.kind !== 'write') return { value: await operation.run(args, context, selected), ...nothing };
  const result = await operation.run(args, context, selected);
  return {
    value: operation.toValue(result),
    warnings: result.warnings ?? [],
    unchanged: result.unchanged === true,
  };
}

const nothing = { warnings: [], unchanged: false };
