import { getArgumentValues, type GraphQLSchema, isObjectType } from 'graphql';
import { AppError, type Warning } from '../../core/errors.ts';
import type { Selected } from '../../core/fields/table.ts';
import { chunkedConnection, type Page } from '../../core/page.ts';
import type { Fields } from '../../core/patch.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { OperationContext } from '../../operations/context.ts';
import { type Operation, type Operations, pageOf } from '../../operations/operation.ts';
import type { GatewayContext } from './context.ts';
import { type Edge, edgeRows, type Entered, nodeTypeOf } from './graph.ts';
import { edgeCost } from './request/cost.ts';
import {
  fieldsByKey,
  isIncluded,
  type RootInfo,
  type SelectedField,
  selectedIn,
} from './request/selected-fields.ts';

/** Sets the resolvers of edges, in place; without operations they cannot be entered. Throws for an edge that the schema lacks. */
export function resolveEdges(schema: GraphQLSchema, operations: Operations = {}): void {
  for (const [path, row] of Object.entries(edgeRows)) {
    const [typeName = '', name = ''] = path.split('.');
    const type = schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[name] : undefined;
    if (!field) throw new Error(`the schema has no edge ${path}`);
    const operation = operations[row.operation];
    const edge: Edge = { ...row, field, reader: readerOf(operation) };
    field.extensions = { edge, operation };
    field.resolve = (object, _args, context, info) => resolveEntered(object, context as GatewayContext, info);
  }
}

type Reader = NonNullable<Edge['reader']>;

const readerOf = (operation: Operation | undefined): Reader | undefined =>
  operation?.kind === 'query' || operation?.kind === 'page' ? operation : undefined;

/** The value of a field that reads, as the schema has it: a page is a connection. `hasTurn`: the turn of its list has come. */
export function readValue(
  operation: Reader,
  args: never,
  context: OperationContext,
  selected: Selected,
  hasTurn = false,
): Promise<unknown> {
  if (operation.kind === 'query') return operation.run(args, context, selected);
  if (hasTurn) return operation.run(args, context, selected).then(connectionOf);
  return pageOf(operation, args, context, selected).then(connectionOf);
}

/** Converts a page to a connection; its other members stay. */
function connectionOf(page: Page<unknown>): object {
  // What a page says beside its entries is worked out where it is asked for.
  const {
    edges: _edges,
    hasNextPage: _next,
    hasPreviousPage: _previous,
    ...rest
  } = Object.getOwnPropertyDescriptors(page);
  return Object.defineProperties(chunkedConnection(page), rest);
}

/** The value of an edge that was entered before the object's field is completed. Values become ready in turns, as entries of long lists do. */
function resolveEntered(object: unknown, context: GatewayContext, { path }: Pick<RootInfo, 'path'>): unknown {
  let place = '';
  for (let step: RootInfo['path'] | undefined = path; step; step = step.prev)
    if (typeof step.key === 'string') place = place === '' ? step.key : `${step.key}.${place}`;
  const entered = context.edges?.get(place)?.get(object as object);
  if (!entered) throw new Error(`the edge at ${place} was not entered`);
  if ('error' in entered) throw entered.error;
  const { value } = entered;
  if (value === null) return null;
  context.lastTurn = (context.lastTurn ?? Promise.resolve()).then(eventLoop.yield);
  return context.lastTurn.then(() => value);
}

/** A root field whose edges are entered. */
interface Entry {
  readonly context: GatewayContext;
  readonly variables: Fields;
  /** For the operations of edges: what they load is remembered by it. */
  readonly reading: OperationContext;
  readonly field: string;
}

/**
 * Enters the edges below the value of a root field, place by place: for all objects at a place at once, and before any of them
 * is written. Their cost, beyond that of one object at each place, is charged first. A failing edge fails alone.
 */
export async function enterEdges(
  value: unknown,
  { path, variableValues: variables }: RootInfo,
  context: GatewayContext,
  kind: 'read' | 'write' | 'dry run',
): Promise<void> {
  const { fields } = context.admitted.operation;
  const root = fields.filter((field) => field.key === path.key && isIncluded(field, variables));
  context.edges ??= new Map();
  // What was loaded before a write must not be seen after it.
  const reading = kind === 'read' ? context : (Object.create(context) as GatewayContext);
  const entry = { context, variables, reading, field: String(path.key) };
  await enterBelow(root, await objectsIn([value]), entry.field, kind === 'dry run', entry);
}

async function enterBelow(
  group: readonly SelectedField[],
  objects: readonly object[],
  place: string,
  isUnstored: boolean,
  entry: Entry,
): Promise<void> {
  const { admitted } = entry.context;
  const [first] = objects;
  const ways = admitted.operation.edges;
  if (!first || !ways) return;
  const type = nodeTypeOf(first);
  const below = group
    .flatMap(({ fields }) => fields)
    .filter((field) => ways.has(field) && isIncluded(field, entry.variables, type));
  await Promise.all(
    fieldsByKey(below).map(async (same) => {
      const [{ key, node }] = same;
      const edge = ways.get(same[0]);
      const next = `${place}.${key}`;
      if (!edge) {
        const found = await objectsIn(objects.map((object) => (object as Fields)[node.name.value]));
        return enterBelow(same, found, next, isUnstored, entry);
      }
      const entered =
        isUnstored && edge.ofStored ? noneYet(objects, next, entry) : await enter(edge, same, objects, entry);
      entry.context.edges?.set(next, entered);
      const values = objects.map((object) => {
        const one = entered.get(object);
        return one && 'value' in one ? one.value : null;
      });
      return enterBelow(same, await objectsIn(values), next, false, entry);
    }),
  );
}

/** The objects in values that are objects, lists of them (which may become ready later), or null: each as often as it is there. */
async function objectsIn(values: readonly unknown[]): Promise<object[]> {
  const found: object[] = [];
  for (const value of values) {
    const turn = eventLoop.enter();
    if (turn) await turn;
    for (const one of Array.isArray(value) ? value : [value]) {
      const object: unknown = await one;
      if (typeof object === 'object' && object !== null) found.push(object);
    }
  }
  return found;
}

/** Of what a dry run made or changed, nothing else was stored: its edges are null, with a warning. */
function noneYet(objects: readonly object[], place: string, { context, field }: Entry): Map<object, Entered> {
  const warning: Warning = {
    path: place.split('.').slice(1),
    reason: 'ignored',
    message: 'This was not read: with validateOnly nothing is stored that it could be read from.',
  };
  context.notes.add(field, { warnings: [warning] });
  return new Map(objects.map((object) => [object, { value: null }]));
}

/** So many entries have refused edges at the most: those of the longest page. Beyond, their root field is refused. */
const maxRefusedEntries = 2_500;

/** Runs the operation of an edge for each object; objects that give the same arguments share a call, as all events of a page their calendar. */
async function enter(
  edge: Edge,
  same: readonly [SelectedField, ...SelectedField[]],
  objects: readonly object[],
  entry: Entry,
): Promise<Map<object, Entered>> {
  const { context, variables } = entry;
  const { operation, variables: sent } = context.admitted;
  const entered = new Map<object, Entered>();
  const calls = new Map<string, { readonly args: Fields; readonly objects: object[] }>();
  try {
    const args = getArgumentValues(edge.field, same[0].node, variables);
    const more = (objects.length - 1) * edgeCost(same, operation.costs ?? [], sent);
    await context.meter?.spend(more, `${edge.field.name} of ${objects.length} objects`);
    for (const object of new Set(objects)) {
      const own = edge.from(object as never);
      const call = calls.get(JSON.stringify(own));
      if (call) call.objects.push(object);
      else if (own) calls.set(JSON.stringify(own), { args: { ...args, ...own }, objects: [object] });
      else entered.set(object, { value: null });
    }
  } catch (error) {
    // Each entry has an error of its own; many would be more to answer than was paid for.
    context.refusedEntries += objects.length;
    if (context.refusedEntries > maxRefusedEntries) throw error;
    return new Map(objects.map((object) => [object, { error }]));
  }
  const all = [...calls.values()];
  const results = await runCalls(
    edge,
    all.map((call) => call.args),
    () => selectedIn(operation, same, variables),
    entry,
  );
  for (const [index, call] of all.entries())
    for (const object of call.objects) entered.set(object, results[index] as Entered);
  return entered;
}

/** So many lists are read at once, before others of the request: a store may read them in one round trip. */
const listsAtOnce = 5;

/** Runs an operation with several arguments: lists in turn with all others of the request. */
async function runCalls(
  { reader, isNull }: Edge,
  all: readonly Fields[],
  selected: Selected,
  { context, reading }: Entry,
): Promise<Entered[]> {
  const run = async (args: Fields): Promise<Entered> => {
    try {
      const value = reader && (await readValue(reader, args as never, reading, selected, true));
      return { value: value ?? null };
    } catch (error) {
      return error instanceof AppError && isNull?.(error) ? { value: null } : { error };
    }
  };
  const results: Promise<Entered[]>[] = [];
  for (let start = 0; start < all.length; start += listsAtOnce) {
    const runSome = (): Promise<Entered[]> => Promise.all(all.slice(start, start + listsAtOnce).map(run));
    if (reader?.kind === 'page' && reader.inTurn) {
      results.push(context.readQueue(runSome));
      continue;
    }
    const turn = eventLoop.enter();
    if (turn) await turn;
    context.budget.throwIfGone();
    results.push(runSome());
  }
  return (await Promise.all(results)).flat();
}
