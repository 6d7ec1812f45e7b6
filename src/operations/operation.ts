import type { Viewer } from '../access/permissions.ts';
import type { GetSelection } from '../core/fields/table.ts';
import type { AppError, Issue, Warning } from '../core/errors.ts';
import type { Page } from '../core/page.ts';
import type { StreamedEvent, StreamRequest } from '../core/runtime/streams.ts';
import type { OperationContext } from './context.ts';

/** Report of a write to the client and the log. */
export interface WriteReport {
  readonly warnings?: readonly Warning[];
  /** Number of guests who get mail about the change. */
  readonly guestsNotified?: number;
  /** Whether nothing had to change. */
  readonly unchanged?: boolean | undefined;
}

/** Finds issues of the arguments alone, some of which may be missing after coercion errors. `run` reports the same issues. */
type Check<Args> = (this: void, args: Partial<Args>) => readonly Issue[];

/** Reads data without changing any. */
export interface Query<Args, Value> {
  readonly kind: 'query';
  readonly check: Check<Args>;
  run(args: Args, context: OperationContext, selected?: GetSelection): Promise<Value>;
}

/** Reads one page of a list. `Rest`: the members of the page besides its entries. */
export interface PageQuery<Args, Node, Rest = object> {
  readonly kind: 'page';
  readonly check: Check<Args>;
  /** Whether the queries of one request run one after the other, because they are expensive. */
  readonly isSerial: boolean;
  run(args: Args, context: OperationContext, selected?: GetSelection): Promise<Page<Node> & Rest>;
}

/** Changes data. With the argument `validateOnly`, if it has one, it stores nothing and returns the same report. */
export interface Write<Args, Value, Result extends WriteReport = WriteReport> {
  readonly kind: 'write';
  readonly check: Check<Args>;
  run(args: Args, context: OperationContext, selected?: GetSelection): Promise<Result>;
  /** Returns the value for the client, without the report. */
  toValue(result: Result): Value;
}

/** Streams changes until the reader leaves. An AppError is the error of one event and does not end the stream. */
export interface Stream<Args, Event> {
  readonly kind: 'stream';
  run(args: Args, context: OperationContext): Promise<AsyncIterable<StreamedEvent<Event | AppError>>>;
}

/** A unit of work that faces run by its schema name. */
export type Operation<Args = never, Value = unknown> =
  Query<Args, Value> | PageQuery<Args, unknown> | Write<Args, Value> | Stream<Args, Value>;

/** Operations by their names in the schema. */
export type Operations = Readonly<Record<string, Operation>>;

/** A resource of the gateway; its operations are root fields of the schema. The service is injected, so that it can be replaced. */
export interface ResourceModule<ModuleOperations extends Operations = Operations> {
  readonly operations: ModuleOperations;
}

/** Runs an operation for the caller, as a method of a service. Loaders of the service cache by the context. */
type RunForCaller<Args, Result> = (
  viewer: Viewer,
  args: Args,
  context: OperationContext,
  selected?: GetSelection,
) => Promise<Result>;

const forCaller =
  <Args, Result>(run: RunForCaller<Args, Result>) =>
  (args: Args, context: OperationContext, selected?: GetSelection): Promise<Result> =>
    run(context.caller(), args, context, selected);

const noIssues = (): readonly Issue[] => [];

export const query = <Args, Value>(
  run: RunForCaller<Args, Value>,
  check: Check<NoInfer<Args>> = noIssues,
): Query<Args, Value> => ({ kind: 'query', run: forCaller(run), check });

export const pageQuery = <Args, Node, Rest>(
  run: RunForCaller<Args, Page<Node> & Rest>,
  check: Check<NoInfer<Args>> = noIssues,
  isSerial = true,
): PageQuery<Args, Node, Rest> => ({ kind: 'page', run: forCaller(run), isSerial, check });

/** Reads a page, after earlier reads of the request if the query is serial. */
export const readPageInTurn = <Args, Node, Rest>(
  operation: PageQuery<Args, Node, Rest>,
  args: Args,
  context: OperationContext,
  selected: GetSelection | undefined,
): Promise<Page<Node> & Rest> =>
  operation.isSerial
    ? context.readQueue(() => operation.run(args, context, selected))
    : operation.run(args, context, selected);

export const write = <Args, Value, Result extends WriteReport>(
  run: RunForCaller<Args, Result>,
  toValue: (result: Result) => Value,
  check: Check<NoInfer<Args>> = noIssues,
): Write<Args, Value, Result> => ({ kind: 'write', run: forCaller(run), toValue, check });

/** Declares a write whose result is the value itself, without a report. */
export const writeValue = <Args, Value>(
  run: RunForCaller<Args, Value>,
  check: Check<NoInfer<Args>> = noIssues,
) =>
  write(
    async (...call: Parameters<typeof run>) => ({ value: await run(...call), warnings: [] }),
    ({ value }) => value,
    check,
  );

/** Declares a stream that a method of a service opens for the caller. */
export const stream = <Args, Event>(
  open: (
    viewer: Viewer,
    args: Args,
    request: StreamRequest,
  ) => Promise<AsyncIterable<StreamedEvent<Event | AppError>>>,
): Stream<Args, Event> => ({
  kind: 'stream',
  run: (args, context) => open(context.caller(), args, context.stream()),
});
