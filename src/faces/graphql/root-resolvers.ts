import { isNonNullType, Kind, type GraphQLField, type GraphQLSchema } from 'graphql';
import { AppError } from '../../core/errors.ts';
import type { Fields } from '../../core/json.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { StreamedEvent } from '../../core/runtime/streams.ts';
import type { Operation, Operations, WriteReport } from '../../operations/operation.ts';
import type { GatewayContext } from './context.ts';
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
  const resolve: Resolver = async (root, args, context, info) => {
    const value = await runOperation(operation, root, args, context, info);
    if (context.admittedRequest.operation.edges.length > 0)
      await enterEdges(value, info, context, effectOf(operation, args));
    return value;
  };
  const subscribe: Resolver | undefined =
    operation.kind === 'stream' ? (_root, args, context) => operation.run(args, context) : undefined;
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

/** Returns the value of a root field. `root` is the event of a stream, which `subscribe` opened. */
async function runOperation(
  operation: Operation,
  root: unknown,
  args: never,
  context: GatewayContext,
  info: RootInfo,
): Promise<unknown> {
  if (operation.kind === 'stream') return unwrapEvent(root as StreamedEvent<unknown>);
  const getSelection = createSelectionGetter(context.admittedRequest.operation, info);
  if (operation.kind !== 'write') return readValue(operation, args, context, getSelection);
  const result = await operation.run(args, context, getSelection);
  context.writeReports.add(info.path.key, addVariableWarnings(result, info, context));
  return operation.toValue(result);
}

function effectOf({ kind }: Operation, args: { readonly validateOnly?: unknown }): RootEffect {
  if (kind !== 'write') return 'read';
  return args.validateOnly === true ? 'dry run' : 'write';
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
