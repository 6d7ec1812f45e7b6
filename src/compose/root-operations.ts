import type {
  MutationResolvers,
  QueryResolvers,
  SubscriptionResolvers,
} from '../generated/resolvers-types.ts';
import type { PageQuery, Query, Stream, Write } from '../operations/operation.ts';

type Fields<Resolvers> = {
  readonly [Name in keyof Resolvers]-?: Extract<NonNullable<Resolvers[Name]>, (...args: never[]) => unknown>;
};

type ArgsOf<Resolve> = Resolve extends (root: never, args: infer Args, ...rest: never[]) => unknown
  ? Args
  : never;

/** The result of a resolver. Lists may be readonly: the executor does not change them. */
type ValueOf<Resolve> = Resolve extends (...args: never[]) => infer Value
  ? ReadonlyList<Awaited<Value>>
  : never;
type ReadonlyList<Value> = Value extends readonly (infer Entry)[] ? readonly Entry[] : Value;

/** A root field of a connection type is a page query: the face makes the connection. */
type QueryOf<Resolve> =
  NonNullable<ValueOf<Resolve>> extends { readonly nodes: readonly (infer Node)[] }
    ? PageQuery<
        ArgsOf<Resolve>,
        Awaited<Node>,
        Omit<NonNullable<ValueOf<Resolve>>, '__typename' | 'edges' | 'nodes' | 'pageInfo'>
      >
    : Query<ArgsOf<Resolve>, ValueOf<Resolve>>;

type Subscribe<Field> =
  Extract<Field, { readonly resolve: unknown }> extends {
    readonly subscribe: infer Run;
    readonly resolve: infer Resolve;
  }
    ? Stream<ArgsOf<Run>, ValueOf<Resolve>>
    : never;

/**
 * An operation for each root field of the schema, with fitting arguments and result: whoever puts the gateway together
 * holds its operations against this type.
 */
export type RootOperations = {
  readonly [Name in keyof Fields<QueryResolvers>]: QueryOf<Fields<QueryResolvers>[Name]>;
} & {
  readonly [Name in keyof Omit<Fields<MutationResolvers>, 'report'>]: Write<
    ArgsOf<Fields<MutationResolvers>[Name]>,
    ValueOf<Fields<MutationResolvers>[Name]>
  >;
} & { readonly [Name in keyof SubscriptionResolvers]-?: Subscribe<NonNullable<SubscriptionResolvers[Name]>> };

/** The names of an operation's arguments; none for a field without arguments, of which the schema's types say any. */
type KnownTo<Operation> = Operation extends { run(args: infer Args, ...rest: never[]): unknown }
  ? string extends keyof Args
    ? never
    : keyof Args
  : never;

/** Nothing fits a root field that has an argument which its operation does not know. */
type KnowsArguments<Given> = {
  readonly [Name in keyof RootOperations & keyof Given]: Exclude<
    KnownTo<RootOperations[Name]>,
    KnownTo<Given[Name]>
  > extends never
    ? unknown
    : never;
};

/** The operations of all resources by their root fields. An argument in the schema that no operation knows does not compile. */
export const rootOperations = <Given extends RootOperations>(
  operations: Given & KnowsArguments<Given>,
): RootOperations => operations;
