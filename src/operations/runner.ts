import type { Caller } from '../access/caller.ts';
import { requireScopes, type ScopeRule } from '../access/scopes.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';
import type { Warning } from '../core/kernel/errors.ts';
import type { Admission } from './admission.ts';
import { RequestContext } from './context.ts';
import type { Operation, Operations } from './operation.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** What the schema declares of an operation. */
export interface Declaration {
  /** The alternatives of scopes that open it. */
  readonly scopes: ScopeRule;
  /** What it costs with these arguments when all fields of its answer are selected. */
  costOf(args: Arguments): number;
  /** The arguments as the schema has them, with its defaults. Throws BAD_USER_INPUT with the path of each that does not fit. */
  readArguments(args: unknown): Arguments;
}

export interface OperationResult {
  /** The page of a page query; the events of a stream, as an async iterable. */
  readonly value: unknown;
  readonly warnings: readonly Warning[];
  readonly guestsNotified: number;
}

/** Runs operations for faces without documents. */
export interface OperationRunner {
  /** Undefined where there is no such operation. */
  kindOf(name: string): Operation['kind'] | undefined;
  /** Admits, charges and runs an operation, with arguments as a client sent them. Throws AppError for errors that the caller may see; others must be masked. */
  run(name: string, args: unknown, caller: Caller): Promise<OperationResult>;
}

export interface RunnerParts {
  readonly operations: Operations;
  readonly declarations: ReadonlyMap<string, Declaration>;
  readonly admission: Admission;
}

export function createOperationRunner({ operations, declarations, admission }: RunnerParts): OperationRunner {
  const byName = new Map(Object.entries(operations).flatMap(([name, operation]) => {
    const declaration = declarations.get(name);
    return declaration ? [[name, { ...declaration, operation }] as const] : [];
  }));
  return {
    kindOf: (name) => byName.get(name)?.operation.kind,
    async run(name, given, caller) {
      const known = byName.get(name);
      if (!known) throw new Error(`there is no operation ${name}`);
      const { args, cost } = admission.decide(caller, (bill) => {
        requireScopes(caller.viewer, [known.scopes]);
        const args = known.readArguments(given);
        const cost = known.costOf(args);
        bill.settle(cost);
        return { args, cost };
      });
      const leave = await admission.enter(cost);
      try {
        await eventLoop.enter();
        caller.report.operation = { kind: kinds[known.operation.kind], rootFields: [name] };
        return await resultOf(known.operation, args, new RequestContext(caller));
      } finally {
        leave?.(caller.sent?.() ?? Promise.resolve());
      }
    },
  };
}

const kinds = { query: 'query', page: 'query', write: 'mutation', stream: 'subscription' } as const;

async function resultOf(operation: Operation, given: Arguments, context: RequestContext): Promise<OperationResult> {
  const args = given as never; // coerced by the schema, whose types the operation's were checked against
  if (operation.kind === 'page') return { value: await context.readQueue(() => operation.run(args, context)), ...nothing };
  if (operation.kind !== 'write') return { value: await operation.run(args, context), ...nothing };
  const result = await operation.run(args, context);
  return { value: operation.toValue(result), warnings: result.warnings ?? [], guestsNotified: result.guestsNotified ?? 0 };
}

const nothing = { warnings: [], guestsNotified: 0 };
