import type { Selected } from '../core/fields/table.ts';
import type { AppError, Issue, Warning } from '../core/errors.ts';
import type { Page } from '../core/page.ts';
import type { Streamed } from '../core/runtime/watch.ts';
import type { OperationContext } from './context.ts';

/** What a write reports beside its value. */
export interface WriteReport {
  readonly warnings?: readonly Warning[];
  /** How many guests were notified. */
  readonly guestsNotified?: number;
  /** True where everything was as asked for already. */
  readonly unchanged?: boolean | undefined;
}

/**
 * Finds what is wrong with arguments by themselves, some of which may be absent though they must not be. Reported beside
 * arguments that do not fit the schema; `run` reports it in any case.
 */
type Check<Args> = (this: void, args: Partial<Args>) => readonly Issue[];

/** Reads a value. */
export interface Query<Args, Value> {
  readonly kind: 'query';
  readonly check: Check<Args>;
  run(args: Args, context: OperationContext, selected?: Selected): Promise<Value>;
}

/** Reads one page of a list; `Rest` is what the page has beside its entries. */
export interface PageQuery<Args, Node, Rest = object> {
  readonly kind: 'page';
  readonly check: Check<Args>;
  /** Whether those of one request run one after the other: they have much to do here. */
  readonly inTurn: boolean;
  run(args: Args, context: OperationContext, selected?: Selected): Promise<Page<Node> & Rest>;
}

/** Changes something. One that has an argument `validateOnly` stores nothing when it is true, and reports what it would report. */
export interface Write<Args, Value, Result extends WriteReport = WriteReport> {
  readonly kind: 'write';
  readonly check: Check<Args>;
  run(args: Args, context: OperationContext, selected?: Selected): Promise<Result>;
  /** The value of a result. */
  toValue(result: Result): Value;
}

/** Streams changes until its reader leaves. An AppError is the error of one event; the stream goes on. */
export interface Stream<Args, Event> {
  readonly kind: 'stream';
  run(
    args: Args,
    context: OperationContext,
    selected?: Selected,
  ): Promise<AsyncIterable<Streamed<Event | AppError>>>;
}

/** A unit of work that faces ask for by its name in the schema. */
export type Operation<Args = never, Value = unknown> =
  Query<Args, Value> | PageQuery<Args, unknown> | Write<Args, Value> | Stream<Args, Value>;

/** Operations by their names. */
export type Operations = Readonly<Record<string, Operation>>;

/** A resource of the gateway, whose part of the schema has its operations as root fields. It gets its service, so that others may stand behind it. */
export interface ResourceModule<Own extends Operations = Operations> {
  readonly operations: Own;
}

const noIssues = (): readonly Issue[] => [];

export const query = <Args, Value>(
  run: Query<Args, Value>['run'],
  check: Check<NoInfer<Args>> = noIssues,
): Query<Args, Value> => ({ kind: 'query', run, check });

export const pageQuery = <Args, Node, Rest>(
  run: PageQuery<Args, Node, Rest>['run'],
  check: Check<NoInfer<Args>> = noIssues,
  inTurn = true,
): PageQuery<Args, Node, Rest> => ({ kind: 'page', run, inTurn, check });

/** Reads a page when its turn has come. */
export const pageOf = <Args, Node, Rest>(
  operation: PageQuery<Args, Node, Rest>,
  args: Args,
  context: OperationContext,
  selected: Selected | undefined,
): Promise<Page<Node> & Rest> =>
  operation.inTurn
    ? context.readQueue(() => operation.run(args, context, selected))
    : operation.run(args, context, selected);

export const write = <Args, Value, Result extends WriteReport>(
  run: Write<Args, Value, Result>['run'],
  toValue: (result: Result) => Value,
  check: Check<NoInfer<Args>> = noIssues,
): Write<Args, Value, Result> => ({ kind: 'write', run, toValue, check });

export const stream = <Args, Event>(run: Stream<Args, Event>['run']): Stream<Args, Event> => ({
  kind: 'stream',
  run,
});
