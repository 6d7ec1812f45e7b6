import type { Caller } from '../../access/caller.ts';
import type { Seal } from '../../core/kernel/seal.ts';
import type { OperationResult } from '../../operations/runner.ts';
import type { MethodRow, Schemas } from './method.ts';

/** One request of a method, read and checked. */
export interface Call {
  readonly row: MethodRow;
  readonly caller: Caller;
  readonly schemas: Schemas;
  readonly seal: Seal;
  /** What is in the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** The parameters that were given and parse, by their official names. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The body in the names of the fields behind it, without what there is not. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The arguments of the method's operation. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Runs an operation; with the first one comes whatever is wrong with the request. */
  readonly operation: (name: string, args: object) => Promise<OperationResult>;
}

/** What a method answers. */
export interface Answered {
  /** In official names; absent: there is no body. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** The entity tag, where the body has none in it. */
  readonly result?: OperationResult;
}

export type Run = (call: Call) => Promise<Answered>;
