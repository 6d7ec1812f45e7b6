import { getArgumentValues, type GraphQLSchema, isObjectType } from 'graphql';
import { AppError, type Warning } from '../../core/errors.ts';
import type { FieldSelection, Selected } from '../../core/fields/table.ts';
import { chunkedConnection, type Page } from '../../core/page.ts';
import type { Fields } from '../../core/patch.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { OperationContext } from '../../operations/context.ts';
import { type Operation, type Operations, pageOf } from '../../operations/operation.ts';
import type { GatewayContext } from './context.ts';
import { type Edge, type EdgeResult, edgeRows, nodeTypeOf } from './graph.ts';
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
    const share = edge.reader?.kind === 'page' ? valuesInTurn : 1;
    field.resolve = (object, _args, context, info) =>
      resolveEdge(object, context as GatewayContext, info, share);
  }
}

type Reader = NonNullable<Edge['reader']>;

const readerOf = (operation: Operation | undefined): Reader | undefined =>
  operation?.kind === 'query' || operation?.kind === 'page' ? operation : undefined;

/** Reads the value of a field as the schema has it: a page is a connection. Lists of one request are read in turn. */
export const readValue = (
  operation: Reader,
  args: never,
  context: OperationContext,
  selected: Selected,
): Promise<unknown> =>
  operation.kind === 'query'
    ? operation.run(args, context, selected)
    : pageOf(operation, args, context, selected).then(connectionOf);

/** Converts a page to a connection; its other members stay. */
function connectionOf(page: Page<unknown>): object {
  // Members beside the entries are worked out where they are asked for.
  const {
    edges: _edges,
    hasNextPage: _next,
    hasPreviousPage: _previous,
    ...rest
  } = Object.getOwnPropertyDescriptors(page);
  return Object.defineProperties(chunkedConnection(page), rest);
}

/** Number of values of edges that become ready in one turn of the event loop, as entries of long lists do; a list is a whole turn. */
const valuesInTurn = 25;

/** Finds the value of an edge, which was entered before the library asks for it. */
function resolveEdge(
  object: unknown,
  context: GatewayContext,
  { path }: Pick<RootInfo, 'path'>,
  share: number,
): unknown {
  let place = '';
  for (let step: RootInfo['path'] | undefined = path; step; step = step.prev)
    if (typeof step.key === 'string') place = place === '' ? step.key : `${step.key}.${place}`;
  const result = context.edges?.get(place)?.get(object as object);
  if (!result) throw new Error(`the edge at ${place} was not entered`);
  if ('error' in result) throw result.error;
  const { value } = result;
  if (value === null) return null;
  const turn = (context.edgeTurn ??= { left: valuesInTurn, begins: Promise.resolve() });
  turn.left -= share;
  if (turn.left <= 0) Object.assign(turn, { left: valuesInTurn, begins: turn.begins.then(eventLoop.yield) });
  return turn.begins.then(() => value);
}

/** Traversal of the edges below one root field. */
interface Traversal {
  readonly context: GatewayContext;
  readonly variables: Fields;
  /** Context for the operations of edges: it remembers what they load. */
  readonly loading: OperationContext;
  readonly rootKey: string;
}

/** Objects at one place of the answer. */
interface Place {
  /** Response keys down to the objects, joined by dots. */
  readonly path: string;
  /** Fields with the same key that select the objects; at least one. */
  readonly fields: readonly SelectedField[];
  readonly objects: readonly object[];
  /** Whether a dry run made or changed the objects. */
  readonly isUnstored: boolean;
}

/**
 * Enters the edges below the value of a root field, place by place: for all objects at a place at once, before any of them is
 * written. Their cost beyond that of one object is charged first. An edge that fails is null, with an error. Throws where a list of the
 * root field itself has more than `maxRefused` refused edges.
 */
export async function enterEdges(
  value: unknown,
  { path, variableValues: variables }: RootInfo,
  context: GatewayContext,
  kind: 'read' | 'write' | 'dry run',
): Promise<void> {
  context.edges ??= new Map();
  // Writes make loaded values stale: each has loaders of its own.
  const loading = kind === 'read' ? context : (Object.create(context) as GatewayContext);
  const rootKey = String(path.key);
  const fields = context.admitted.operation.fields.filter(
    (field) => field.key === rootKey && isIncluded(field, variables),
  );
  const objects = await objectsIn([value]);
  const isUnstored = kind === 'dry run';
  await enterBelow({ path: rootKey, fields, objects, isUnstored }, { context, variables, loading, rootKey });
}

/** Enters the edges below the objects at a place, and those below them. Waits for all of them, also when one throws. */
async function enterBelow({ path, fields, objects, isUnstored }: Place, traversal: Traversal): Promise<void> {
  const { context, variables } = traversal;
  const [first] = objects;
  const edges = context.admitted.operation.edges;
  if (!first || !edges) return;
  const type = nodeTypeOf(first);
  const below = fields
    .flatMap((field) => field.fields)
    .filter((field) => edges.has(field) && isIncluded(field, variables, type));
  const branches = fieldsByKey(below).map(async (merged) => {
    const [{ key, node }] = merged;
    const edge = edges.get(merged[0]);
    const place = { path: `${path}.${key}`, fields: merged, objects, isUnstored };
    const values = edge
      ? await enterEdge(edge, place, traversal)
      : objects.map((object) => (object as Fields)[node.name.value]);
    const next = { ...place, objects: await objectsIn(values), isUnstored: isUnstored && !edge };
    try {
      await enterBelow(next, traversal);
    } catch (error) {
      if (!edge) throw error;
      refuse(place, error, context);
    }
  });
  const failed = (await Promise.allSettled(branches)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}

/** Lists the objects in values that are objects, lists of them (which may become ready later), or null: each as often as it is there. */
async function objectsIn(values: readonly unknown[]): Promise<object[]> {
  const found: object[] = [];
  for (const one of values.flat()) {
    const object: unknown = await one;
    if (typeof object !== 'object' || object === null) continue;
    // Others wait in line as well: each turn takes a while.
    const turn = found.push(object) % objectsInTurn === 0 ? eventLoop.enter() : undefined;
    if (turn) await turn;
  }
  return found;
}

/** Number of objects that are looked at, and of calls that begin, in one turn of the event loop. */
const objectsInTurn = 100;

/** Maximum of refused edges below lists that have an error each: the entries of the longest page. */
const maxRefused = 2_500;

/** Refuses an edge for all objects at a place. Throws where the answer would have too many errors: what holds the list is refused then. */
function refuse({ path, objects }: Place, error: unknown, context: GatewayContext): void {
  if (objects.length > 1) context.refusedEdges += objects.length;
  if (objects.length > 1 && context.refusedEdges > maxRefused) throw error;
  context.edges?.set(path, new Map(objects.map((object) => [object, { error }])));
}

/** Enters an edge of the objects at a place, and keeps the results. Returns the values; none for an edge that is refused. */
async function enterEdge(edge: Edge, place: Place, traversal: Traversal): Promise<readonly unknown[]> {
  const { context } = traversal;
  let results: Map<object, EdgeResult>;
  try {
    results =
      place.isUnstored && edge.needsStored
        ? skipUnstored(place, traversal)
        : await resultsOf(edge, place, traversal);
  } catch (error) {
    refuse(place, error, context);
    return [];
  }
  context.edges?.set(place.path, results);
  return place.objects.map((object) => {
    const result = results.get(object);
    return result && 'value' in result ? result.value : null;
  });
}

/** Makes an edge null, with a warning, below objects that a dry run did not store. */
function skipUnstored({ path, objects }: Place, { context, rootKey }: Traversal): Map<object, EdgeResult> {
  const warning: Warning = {
    path: path.split('.').slice(1),
    reason: 'ignored',
    message: 'This was not read: with validateOnly nothing is stored that it could be read from.',
  };
  context.notes.add(rootKey, { warnings: [warning] });
  return new Map(objects.map((object) => [object, { value: null }]));
}

/** Charges and runs the operation of an edge for each object; objects with the same arguments share a call, as the events of a page their calendar. */
async function resultsOf(
  edge: Edge,
  { fields, objects }: Place,
  traversal: Traversal,
): Promise<Map<object, EdgeResult>> {
  const { context, variables } = traversal;
  const { operation, variables: sent } = context.admitted;
  const first = fields[0] as SelectedField;
  const args = getArgumentValues(edge.field, first.node, variables);
  const more = (objects.length - 1) * edgeCost(first, operation.costs ?? [], sent);
  await context.meter?.spend(more, `${edge.field.name} of ${objects.length} objects`, objects.length);
  const results = new Map<object, EdgeResult>();
  const calls = new Map<string, { readonly args: Fields; readonly objects: object[] }>();
  for (const object of new Set(objects)) {
    const own = edge.argumentsOf(object as never);
    const key = JSON.stringify(own);
    const call = calls.get(key);
    if (call) call.objects.push(object);
    else if (own) calls.set(key, { args: { ...args, ...own }, objects: [object] });
    else results.set(object, { value: null });
  }
  let known: FieldSelection | undefined;
  const selected = (): FieldSelection => (known ??= selectedIn(operation, fields, variables));
  const all = [...calls.values()];
  const given = await runCalls(
    edge,
    all.map((call) => call.args),
    selected,
    traversal,
  );
  for (const [index, call] of all.entries())
    for (const object of call.objects) results.set(object, given[index] as EdgeResult);
  return results;
}

/** Number of lists that start together, so that a store can read them in one round trip. */
const listsAtOnce = 5;

/** Runs an operation with several arguments: lists in turn with all others of the request. */
async function runCalls(
  { reader, isNullFor }: Edge,
  all: readonly Fields[],
  selected: Selected,
  { context, loading }: Traversal,
): Promise<EdgeResult[]> {
  const run = async (args: Fields): Promise<EdgeResult> => {
    try {
      if (!reader) return { value: null };
      const value = await reader.run(args as never, loading, selected);
      return { value: reader.kind === 'page' ? connectionOf(value as Page<unknown>) : value };
    } catch (error) {
      return error instanceof AppError && isNullFor?.(error) ? { value: null } : { error };
    }
  };
  const isList = reader?.kind === 'page' && reader.inTurn;
  const atOnce = isList ? listsAtOnce : objectsInTurn;
  const results: Promise<EdgeResult[]>[] = [];
  for (let start = 0; start < all.length; start += atOnce) {
    const runSome = (): Promise<EdgeResult[]> => Promise.all(all.slice(start, start + atOnce).map(run));
    if (isList) {
      results.push(context.readQueue(runSome));
      continue;
    }
    const turn = start > 0 ? eventLoop.enter() : undefined;
    if (turn) await turn;
    context.budget.throwIfGone();
    results.push(runSome());
  }
  return (await Promise.all(results)).flat();
}
