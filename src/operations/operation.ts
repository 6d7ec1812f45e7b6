import type { Selected } from '../core/fields/selection.ts';
import type { AppError, Issue, Warning } from '../core/kernel/errors.ts';
import type { Page } from '../core/kernel/page.ts';
import type { Streamed } from '../core/runtime/stream.ts';
import type { OperationContext } from './context.ts';

/** What a write reports beside its value. */
export interface WriteReport {
  readonly warnings?: readonly Warning[];
  /** How many guests were notified. */
  readonly guestsNotified?: number;
  /** True where everything was as asked for already. */
  readonly unchanged?: boolean | undefined;
}

/** What is wrong with arguments by themselves, some of which may be absent though they must not be. */
export type IssuesOf<Args> = (args: Partial<Args>) => readonly Issue[];

interface Checked<Args> {
  /** Told beside the issues of arguments that do not fit the schema. `run` tells of it in any case. */
  issuesOf?(this: void, args: Partial<Args>): readonly Issue[];
}

/** Reads a value. */
export interface Query<Args, Value> extends Checked<Args> {
  readonly kind: 'query';
  run(args: Args, context: OperationContext, selected?: Selected): Promise<Value>;
}

/** Reads one page of a list; `Rest` is what the page has beside its entries. */
export interface PageQuery<Args, Node, Rest = object> extends Checked<Args> {
  readonly kind: 'page';
  /** Whether those of one request run one after the other: they have much to do here. */
  readonly inTurn: boolean;
  run(args: Args, context: OperationContext, selected?: Selected): Promise<Page<Node> & Rest>;
}

/** Changes something. */
export interface Write<Args, Value, Result extends WriteReport = WriteReport> extends Checked<Args> {
  readonly kind: 'write';
  /** Whether `validateOnly` reports what a write would report, without storing anything. */
  readonly canRehearse: boolean;
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

const noIssues = (): readonly Issue[] => [];

export const query = <Args, Value>(
  run: Query<Args, Value>['run'],
  issuesOf: IssuesOf<Args> = noIssues,
): Query<Args, Value> => ({ kind: 'query', run, issuesOf });

export const pageQuery = <Args, Node, Rest>(
  run: PageQuery<Args, Node, Rest>['run'],
  {
    inTurn = true,
    issuesOf = noIssues,
  }: { readonly inTurn?: boolean; readonly issuesOf?: IssuesOf<Args> } = {},
): PageQuery<Args, Node, Rest> => ({ kind: 'page', run, inTurn, issuesOf });

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
  {
    canRehearse = false,
    issuesOf = noIssues,
  }: { readonly canRehearse?: boolean; readonly issuesOf?: IssuesOf<Args> } = {},
): Write<Args, Value, Result> => ({ kind: 'write', run, toValue, canRehearse, issuesOf });

export const stream = <Args, Event>(run: Stream<Args, Event>['run']): Stream<Args, Event> => ({
  kind: 'stream',
  run,
});
