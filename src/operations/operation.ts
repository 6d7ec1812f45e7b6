import type { Selected } from '../core/fields/selection.ts';
import type { AppError, Warning } from '../core/kernel/errors.ts';
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

/** Reads a value. */
export interface Query<Args, Value> {
  readonly kind: 'query';
  run(args: Args, context: OperationContext, selected?: Selected): Promise<Value>;
}

/** Reads one page of a list; `Rest` is what the page has beside its entries. */
export interface PageQuery<Args, Node, Rest = object> {
  readonly kind: 'page';
  /** Whether those of one request run one after the other: they have much to do here. */
  readonly inTurn: boolean;
  run(args: Args, context: OperationContext, selected?: Selected): Promise<Page<Node> & Rest>;
}

/** Changes something. */
export interface Write<Args, Value, Result extends WriteReport = WriteReport> {
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
  run(args: Args, context: OperationContext, selected?: Selected): Promise<AsyncIterable<Streamed<Event | AppError>>>;
}

/** A unit of work that faces ask for by its name in the schema. */
export type Operation<Args = never, Value = unknown> = Query<Args, Value> | PageQuery<Args, unknown> | Write<Args, Value> | Stream<Args, Value>;

/** Operations by their names. */
export type Operations = Readonly<Record<string, Operation>>;

export const query = <Args, Value>(run: Query<Args, Value>['run']): Query<Args, Value> => ({ kind: 'query', run });

export const pageQuery = <Args, Node, Rest>(run: PageQuery<Args, Node, Rest>['run'], { inTurn }: { readonly inTurn: boolean } = { inTurn: true }): PageQuery<Args, Node, Rest> => ({ kind: 'page', run, inTurn });

/** Reads a page when its turn has come. */
export const pageOf = <Args, Node, Rest>(operation: PageQuery<Args, Node, Rest>, args: Args, context: OperationContext, selected: Selected | undefined): Promise<Page<Node> & Rest> =>
  (operation.inTurn ? context.readQueue(() => operation.run(args, context, selected)) : operation.run(args, context, selected));

export const write = <Args, Value, Result extends WriteReport>(
  run: Write<Args, Value, Result>['run'],
  toValue: (result: Result) => Value,
  { canRehearse }: { readonly canRehearse: boolean } = { canRehearse: false },
): Write<Args, Value, Result> => ({ kind: 'write', run, toValue, canRehearse });

export const stream = <Args, Event>(run: Stream<Args, Event>['run']): Stream<Args, Event> => ({ kind: 'stream', run });
