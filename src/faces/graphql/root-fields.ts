import { isNonNullType, Kind, type GraphQLField, type GraphQLSchema } from 'graphql';
import { AppError } from '../../core/errors.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { Streamed } from '../../core/runtime/watch.ts';
import type { Operation, Operations, WriteReport } from '../../operations/operation.ts';
import type { GatewayContext, Outcome } from './context.ts';
import { enterEdges, readValue } from './edges.ts';
import { selectedBy, type RootInfo } from './request/selected-fields.ts';

export type RootField = GraphQLField<unknown, unknown>;

type Resolver = (root: unknown, args: never, context: GatewayContext, info: RootInfo) => unknown;

/** The root type that a kind of operation belongs to. */
const rootTypeOf = {
  query: 'Query',
  page: 'Query',
  write: 'Mutation',
  stream: 'Subscription',
} as const satisfies Record<Operation['kind'], string>;

/** The root fields of a schema, by type and name: `Mutation.patchEvent`. */
export function rootFields(schema: GraphQLSchema): Map<string, RootField> {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return new Map(
    roots.flatMap((type) =>
      Object.values(type?.getFields() ?? {}).map((field) => [`${type?.name}.${field.name}`, field] as const),
    ),
  );
}

/** Sets the resolvers of root fields by the operations of their names, in place. Throws for operations without a root field, and the other way round. */
export function resolveRootFields(fields: ReadonlyMap<string, RootField>, operations: Operations): void {
  const byField = new Map(
    Object.entries(operations).map(([name, operation]) => [
      `${rootTypeOf[operation.kind]}.${name}`,
      operation,
    ]),
  );
  const idle = [...fields.keys()].filter((name) => !byField.has(name));
  if (idle.length > 0) throw new Error(`these root fields have no operation: ${idle.join(', ')}`);
  const homeless = [...byField.keys()].filter((name) => !fields.has(name));
  if (homeless.length > 0) throw new Error(`these operations have no root field: ${homeless.join(', ')}`);
  for (const [name, field] of fields) Object.assign(field, resolversOf(byField.get(name) as Operation));
}

export function resolversOf(operation: Operation): Pick<RootField, 'resolve' | 'subscribe' | 'extensions'> {
  const { resolve, subscribe } = rootResolvers(operation);
  // The arguments' types were checked against the schema's (`RootOperations`).
  return {
    resolve: runOnce(resolve) as unknown as RootField['resolve'],
    subscribe: subscribe as unknown as RootField['subscribe'],
    extensions: { operation },
  };
}

/** Whether a root field takes `validateOnly`, and these are all the arguments that it needs. */
export const supportsDryRun = (
  { args: declared }: RootField,
  args: Readonly<Record<string, unknown>>,
): boolean =>
  declared.some(({ name }) => name === 'validateOnly') &&
  declared.every(({ name, type }) => !isNonNullType(type) || args[name] !== undefined);

function rootResolvers(operation: Operation): { readonly resolve: Resolver; readonly subscribe?: Resolver } {
  const selectedFor = (context: GatewayContext, info: RootInfo) =>
    selectedBy(context.admitted.operation, info);
  if (operation.kind === 'query' || operation.kind === 'page')
    return {
      resolve: (_root, args, context, info) => {
        const value = readValue(operation, args, context, selectedFor(context, info));
        return context.admitted.operation.edges ? withEdges(value, info, context, 'read') : value;
      },
    };
  if (operation.kind === 'stream')
    return {
      subscribe: (_root, args, context, info) => operation.run(args, context, selectedFor(context, info)),
      resolve: (streamed, _args, context, info) => {
        const value = valueOf(streamed as Streamed<unknown>);
        return context.admitted.operation.edges ? withEdges(value, info, context, 'read') : value;
      },
    };
  return {
    resolve: async (_root, args, context, info) => {
      const result = await operation.run(args, context, selectedFor(context, info));
      context.notes.add(info.path.key, addVariableWarnings(result, info, context));
      const value = operation.toValue(result);
      if (!context.admitted.operation.edges) return value;
      const isDryRun = (args as { readonly validateOnly?: unknown }).validateOnly === true;
      return withEdges(value, info, context, isDryRun ? 'dry run' : 'write');
    },
  };
}

/** The value of a root field, when the edges below it are entered. */
async function withEdges(
  pending: unknown,
  info: RootInfo,
  context: GatewayContext,
  kind: 'read' | 'write' | 'dry run',
): Promise<unknown> {
  const value = await pending;
  await enterEdges(value, info, context, kind);
  return value;
}

/** The report of a write with what was left out of the variables of its arguments. */
function addVariableWarnings(
  report: WriteReport,
  { fieldNodes }: RootInfo,
  { variableWarnings }: GatewayContext,
): WriteReport {
  if (variableWarnings.length === 0) return report;
  const found = (fieldNodes[0]?.arguments ?? []).flatMap(({ name, value }) =>
    variableWarnings.flatMap(({ path: [variable, ...rest], ...warning }) =>
      value.kind === Kind.VARIABLE && value.name.value === variable
        ? [{ ...warning, path: [name.value, ...rest] }]
        : [],
    ),
  );
  return { ...report, warnings: [...found, ...(report.warnings ?? [])] };
}

function valueOf({ value }: Streamed<unknown>): unknown {
  if (value instanceof AppError) throw value;
  return value;
}

/** Begins a root field when other requests had their turn, if its client is still there. One that has an outcome does not run again. */
export const runOnce =
  (resolve: Resolver): Resolver =>
  (root, args, context, info) => {
    const outcome = context.outcomes?.get(info.path.key);
    if (outcome) return replay(outcome);
    const begin = (): unknown => {
      context.budget.throwIfGone();
      return resolve(root, args, context, info);
    };
    const turn = eventLoop.enter();
    return turn ? turn.then(begin) : begin();
  };

function replay(outcome: Outcome): unknown {
  if (!('error' in outcome)) return outcome.waited ? Promise.resolve(outcome.value) : outcome.value;
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever it was
  if (outcome.waited) return Promise.reject(outcome.error);
  throw outcome.error;
}
