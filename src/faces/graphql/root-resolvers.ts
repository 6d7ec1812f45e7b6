import { isNonNullType, Kind, type GraphQLField, type GraphQLSchema } from 'graphql';
import { AppError } from '../../core/errors.ts';
import type { Fields } from '../../core/json.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { StreamedEvent } from '../../core/runtime/streams.ts';
import type { Operation, Operations, WriteReport } from '../../operations/operation.ts';
import type { GatewayContext, WriteReports } from './context.ts';
import { enterEdges, readValue, type RootEffect } from './edges.ts';
import { createSelectionGetter, type RootInfo } from './request/selected-fields.ts';

export type RootField = GraphQLField<unknown, unknown>;

type Resolver = (root: unknown, args: never, context: GatewayContext, info: RootInfo) => unknown;

/** Root types by the kind of operation that their fields run. */
const rootTypes = {
  query: 'Query',
  page: 'Query',
  write: 'Mutation',
  stream: 'Subscription',
} as const satisfies Record<Operation['kind'], string>;

/** Lists the root fields of a schema by type and name: `Mutation.patchEvent`. */
export function listRootFields(schema: GraphQLSchema): Map<string, RootField> {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return new Map(
    roots.flatMap((type) =>
      Object.values(type?.getFields() ?? {}).map((field) => [`${type?.name}.${field.name}`, field] as const),
    ),
  );
}

/** Sets the resolvers of root fields, in place, to the operations of the same names. Throws if either has no counterpart. */
export function setRootResolvers(fields: ReadonlyMap<string, RootField>, operations: Operations): void {
  const operationsByField = new Map(
    Object.entries(operations).map(([name, operation]) => [
      `${rootTypes[operation.kind]}.${name}`,
      operation,
    ]),
  );
  const unresolvedFields = [...fields.keys()].filter((name) => !operationsByField.has(name));
  if (unresolvedFields.length > 0)
    throw new Error(`these root fields have no operation: ${unresolvedFields.join(', ')}`);
  const fieldlessOperations = [...operationsByField.keys()].filter((name) => !fields.has(name));
  if (fieldlessOperations.length > 0)
    throw new Error(`these operations have no root field: ${fieldlessOperations.join(', ')}`);
  for (const [name, field] of fields) {
    const operation = operationsByField.get(name) as Operation;
    Object.assign(field, resolversOf(operation));
    Object.assign(field.extensions, { operation });
  }
}

/** Returns the members of a root field that run an operation. */
export function resolversOf(operation: Operation): Pick<RootField, 'resolve' | 'subscribe'> {
  const { resolve, subscribe } = createRootResolvers(operation);
  // `RootOperations` checks the types of the arguments against the schema.
  return {
    resolve: wrapRootResolver(resolve) as unknown as RootField['resolve'],
    subscribe: subscribe as unknown as RootField['subscribe'],
  };
}

/** Whether a root field takes `validateOnly`, and `args` contain all required arguments. */
export const supportsDryRun = ({ args: definitions }: RootField, args: Fields): boolean =>
  definitions.some(({ name }) => name === 'validateOnly') &&
  definitions.every(({ name, type }) => !isNonNullType(type) || args[name] !== undefined);

const hasEdges = ({ admittedRequest }: GatewayContext): boolean => admittedRequest.operation.edges.length > 0;

function createRootResolvers(operation: Operation): {
  readonly resolve: Resolver;
  readonly subscribe?: Resolver;
} {
  const selectionGetterFor = (context: GatewayContext, info: RootInfo) =>
    createSelectionGetter(context.admittedRequest.operation, info);
  if (operation.kind === 'query' || operation.kind === 'page')
    return {
      resolve: (_root, args, context, info) => {
        const value = readValue(operation, args, context, selectionGetterFor(context, info));
        return hasEdges(context) ? awaitEdges(value, info, context, 'read') : value;
      },
    };
  if (operation.kind === 'stream')
    return {
      subscribe: (_root, args, context, info) =>
        operation.run(args, context, selectionGetterFor(context, info)),
      resolve: (streamedEvent, _args, context, info) => {
        const value = unwrapEvent(streamedEvent as StreamedEvent<unknown>);
        return hasEdges(context) ? awaitEdges(value, info, context, 'read') : value;
      },
    };
  return {
    resolve: async (_root, args, context, info) => {
      const result = await operation.run(args, context, selectionGetterFor(context, info));
      context.writeReports.add(info.path.key, addVariableWarnings(result, info, context));
      const value = operation.toValue(result);
      if (!hasEdges(context)) return value;
      const isDryRun = (args as { readonly validateOnly?: unknown }).validateOnly === true;
      return awaitEdges(value, info, context, isDryRun ? 'dry run' : 'write');
    },
  };
}

/** Resolves with the value of a root field once the edges below it were read. */
async function awaitEdges(
  pendingValue: unknown,
  info: RootInfo,
  context: GatewayContext,
  effect: RootEffect,
): Promise<unknown> {
  const value = await pendingValue;
  await enterEdges(value, info, context, effect);
  return value;
}

/** Adds the warnings about the variables of a root field's arguments to its report. */
function addVariableWarnings(
  report: WriteReport,
  { fieldNodes }: RootInfo,
  { variableWarnings }: GatewayContext,
): WriteReport {
  if (variableWarnings.length === 0) return report;
  const argumentWarnings = (fieldNodes[0]?.arguments ?? []).flatMap(({ name, value }) =>
    variableWarnings.flatMap(({ path: [variable, ...valuePath], ...warning }) =>
      value.kind === Kind.VARIABLE && value.name.value === variable
        ? [{ ...warning, path: [name.value, ...valuePath] }]
        : [],
    ),
  );
  return { ...report, warnings: [...argumentWarnings, ...(report.warnings ?? [])] };
}

/** Returns the value of a streamed event. Throws the value if it is an error. */
function unwrapEvent({ value }: StreamedEvent<unknown>): unknown {
  if (value instanceof AppError) throw value;
  return value;
}

/** Wraps a resolver so that it yields to other requests, stops if the client is gone, and replays an earlier run. */
export const wrapRootResolver =
  (resolve: Resolver): Resolver =>
  (root, args, context, info) => {
    const replay = context.rootReplays?.get(info.path.key);
    if (replay) return replay();
    const start = (): unknown => {
      context.budget.throwIfGone();
      return resolve(root, args, context, info);
    };
    const turn = eventLoop.enter();
    return turn ? turn.then(start) : start();
  };

/** Sets the resolver of `Mutation.report`, in place. Fields of a mutation run serially. */
export const setReportResolver = (field: GraphQLField<unknown, unknown>): void =>
  void (field.resolve = (_root, _args, context) =>
    (context as { readonly writeReports: WriteReports }).writeReports.toReport());
