import { getArgumentValues, type GraphQLSchema, isObjectType } from 'graphql';
import { AppError, type Warning } from '../../core/errors.ts';
import type { FieldSelection, GetSelection } from '../../core/fields/table.ts';
import { chunkedConnection, type Page } from '../../core/page.ts';
import { type Fields, groupByKey } from '../../core/json.ts';
import { eventLoop } from '../../core/runtime/event-loop.ts';
import type { OperationContext } from '../../operations/context.ts';
import { type Operation, type Operations, readPageInTurn } from '../../operations/operation.ts';
import type { GatewayContext } from './context.ts';
import { type Edge, type EdgeResult, edgeRows, nodeTypeOf } from './graph.ts';
import { edgeCost } from './request/cost.ts';
import {
  fieldsByKey,
  isIncluded,
  type RootInfo,
  type SelectedField,
  selectionBelow,
} from './request/selected-fields.ts';

/** Sets the resolvers of all edges, in place. Without operations, edges cannot be entered. Throws for an edge that the schema lacks. */
export function setEdgeResolvers(schema: GraphQLSchema, operations: Operations = {}): void {
  for (const [path, row] of Object.entries(edgeRows)) {
    const [typeName = '', name = ''] = path.split('.');
    const type = schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[name] : undefined;
    if (!field) throw new Error(`the schema has no edge ${path}`);
    const operation = operations[row.operation];
    const edge: Edge = { ...row, field, reader: readerOf(operation) };
    Object.assign(field.extensions, { edge, operation });
    const turnCost = edge.reader?.kind === 'page' ? valuesPerTurn : 1;
    field.resolve = (object, _args, context, info) =>
      resolveEdge(object, context as GatewayContext, info, turnCost);
  }
}

type Reader = NonNullable<Edge['reader']>;

const readerOf = (operation: Operation | undefined): Reader | undefined =>
  operation?.kind === 'query' || operation?.kind === 'page' ? operation : undefined;

/** Reads the value of a field; a page becomes a connection. Lists of one request are read one after the other. */
export const readValue = (
  operation: Reader,
  args: never,
  context: OperationContext,
  getSelection: GetSelection,
): Promise<unknown> =>
  operation.kind === 'query'
    ? operation.run(args, context, getSelection)
    : readPageInTurn(operation, args, context, getSelection).then(toConnection);

/** Converts a page to a connection. Other members are copied as descriptors, since they are getters. */
function toConnection(page: Page<unknown>): object {
  const {
    edges: _edges,
    hasNextPage: _next,
    hasPreviousPage: _previous,
    ...otherMembers
  } = Object.getOwnPropertyDescriptors(page);
  return Object.defineProperties(chunkedConnection(page), otherMembers);
}

/** Number of edge values that resolve in one turn of the event loop. A list takes a whole turn. */
const valuesPerTurn = 25;

/** Returns the value of an edge, which `enterEdges` read before graphql-js asks for it. */
function resolveEdge(
  object: unknown,
  context: GatewayContext,
  { path }: Pick<RootInfo, 'path'>,
  turnCost: number,
): unknown {
  let responsePath = '';
  for (let step: RootInfo['path'] | undefined = path; step; step = step.prev)
    if (typeof step.key === 'string')
      responsePath = responsePath === '' ? step.key : `${step.key}.${responsePath}`;
  const result = context.edgeResults?.get(responsePath)?.get(object as object);
  if (!result) throw new Error(`the edge at ${responsePath} was not entered`);
  if ('error' in result) throw result.error;
  const { value } = result;
  if (value === null) return null;
  const turn = (context.edgeTurn ??= { valuesLeft: valuesPerTurn, start: Promise.resolve() });
  turn.valuesLeft -= turnCost;
  if (turn.valuesLeft <= 0)
    Object.assign(turn, { valuesLeft: valuesPerTurn, start: turn.start.then(eventLoop.yield) });
  return turn.start.then(() => value);
}

/** Effect of a root field on stored data. */
export type RootEffect = 'read' | 'write' | 'dry run';

/** Values that all edges below a root field share. */
interface Traversal {
  readonly context: GatewayContext;
  readonly variables: Fields;
  /** Context passed to the operations of edges; loaders cache by this object. */
  readonly loaderContext: OperationContext;
  /** Response key of the root field. */
  readonly rootKey: string;
}

/** Objects at one place of the response, with the fields that select them. */
interface Position {
  /** Response keys from the root to the objects, joined by dots. */
  readonly path: string;
  /** Fields with the same response key that select the objects; at least one. */
  readonly fields: readonly SelectedField[];
  readonly objects: readonly object[];
  readonly isDryRun: boolean;
}

/**
 * Reads the edges below the value of a root field before the response is written, for all objects at one position together. Charges
 * their cost beyond that of one object first. An edge that fails becomes null, with an error. Throws if a list of the root field itself
 * has more than `maxFailedEdges` failed edges.
 */
export async function enterEdges(
  value: unknown,
  { path, variableValues: variables }: RootInfo,
  context: GatewayContext,
  effect: RootEffect,
): Promise<void> {
  context.edgeResults ??= new Map();
  // Writes make loaded values stale, so each write gets its own loaders.
  const loaderContext = effect === 'read' ? context : (Object.create(context) as GatewayContext);
  const rootKey = String(path.key);
  const fields = context.admittedRequest.operation.fields.filter(
    (field) => field.key === rootKey && isIncluded(field, variables),
  );
  const objects = await collectObjects([value]);
  const isDryRun = effect === 'dry run';
  await enterBelow(
    { path: rootKey, fields, objects, isDryRun },
    { context, variables, loaderContext, rootKey },
  );
}

/** Enters all edges below the objects at a position, recursively. Waits for all of them even if one throws. */
async function enterBelow(
  { path, fields, objects, isDryRun }: Position,
  traversal: Traversal,
): Promise<void> {
  const { context, variables } = traversal;
  const [firstObject] = objects;
  if (!firstObject) return;
  const type = nodeTypeOf(firstObject);
  const childFields = fields
    .flatMap((field) => field.fields)
    .filter((field) => field.leadsToEdges && isIncluded(field, variables, type));
  const branches = fieldsByKey(childFields).map(async (sameKeyFields) => {
    const [{ key, node, edge }] = sameKeyFields;
    const position = { path: `${path}.${key}`, fields: sameKeyFields, objects, isDryRun };
    const values = edge
      ? await enterEdge(edge, position, traversal)
      : objects.map((object) => (object as Fields)[node.name.value]);
    // Objects below an edge are stored, even in a dry run.
    const childPosition = { ...position, objects: await collectObjects(values), isDryRun: isDryRun && !edge };
    try {
      await enterBelow(childPosition, traversal);
    } catch (error) {
      if (!edge) throw error;
      failEdge(position, error, context);
    }
  });
  const failedBranch = (await Promise.allSettled(branches)).find(({ status }) => status === 'rejected');
  if (failedBranch) throw (failedBranch as PromiseRejectedResult).reason;
}

/** Collects the objects in values that are objects, null, or lists of these, whose entries may be promises. Keeps duplicates. */
async function collectObjects(values: readonly unknown[]): Promise<object[]> {
  const objects: object[] = [];
  for (const entry of values.flat()) {
    const object: unknown = await entry;
    if (typeof object !== 'object' || object === null) continue;
    const turn = objects.push(object) % objectsPerTurn === 0 ? eventLoop.enter() : undefined;
    if (turn) await turn;
  }
  return objects;
}

/** Number of objects that are collected, or calls that start, before other requests get a turn. */
const objectsPerTurn = 100;

/** Maximum number of failed edges below lists with an error each: the entries of the longest page. */
const maxFailedEdges = 2_500;

/** Sets the error of an edge for all objects at a position. Throws if the response has too many errors, so that the parent fails. */
function failEdge({ path, objects }: Position, error: unknown, context: GatewayContext): void {
  if (objects.length > 1) context.failedEdgeCount += objects.length;
  if (objects.length > 1 && context.failedEdgeCount > maxFailedEdges) throw error;
  context.edgeResults?.set(path, new Map(objects.map((object) => [object, { error }])));
}

/** Enters an edge of the objects at a position, and stores the results. Returns the values; none if the edge failed. */
async function enterEdge(edge: Edge, position: Position, traversal: Traversal): Promise<readonly unknown[]> {
  const { context } = traversal;
  let results: Map<object, EdgeResult>;
  try {
    results =
      position.isDryRun && edge.needsStored
        ? skipEdgeOfDryRun(position, traversal)
        : await readEdge(edge, position, traversal);
  } catch (error) {
    failEdge(position, error, context);
    return [];
  }
  context.edgeResults?.set(position.path, results);
  return position.objects.map((object) => {
    const result = results.get(object);
    return result && 'value' in result ? result.value : null;
  });
}

/** Makes an edge null, with a warning, below objects that a dry run did not store. */
function skipEdgeOfDryRun(
  { path, objects }: Position,
  { context, rootKey }: Traversal,
): Map<object, EdgeResult> {
  const warning: Warning = {
    path: path.split('.').slice(1),
    reason: 'ignored',
    message: 'This was not read: with validateOnly nothing is stored to read from.',
  };
  context.writeReports.add(rootKey, { warnings: [warning] });
  return new Map(objects.map((object) => [object, { value: null }]));
}

/** Charges and runs the operation of an edge. Objects with equal arguments share a call, such as the events of one calendar. */
async function readEdge(
  edge: Edge,
  { fields, objects }: Position,
  traversal: Traversal,
): Promise<Map<object, EdgeResult>> {
  const { context, variables } = traversal;
  const { operation, variables: sentVariables } = context.admittedRequest;
  const firstField = fields[0] as SelectedField;
  const args = getArgumentValues(edge.field, firstField.node, variables);
  const extraCost =
    (objects.length - 1) * edgeCost(firstField, operation.costsFor?.(sentVariables) ?? [], sentVariables);
  await context.meter?.charge(extraCost, `${edge.field.name} of ${objects.length} objects`, objects.length);
  const objectsByArgs = groupByKey(new Set(objects), (object) =>
    JSON.stringify(edge.argumentsOf(object as never) ?? null),
  );
  const argumentSets = [...objectsByArgs.keys()].map((key) => {
    const objectArgs = JSON.parse(key) as Fields | null;
    return objectArgs && { ...args, ...objectArgs };
  });
  let selection: FieldSelection | undefined;
  const getSelection = (): FieldSelection => (selection ??= selectionBelow(fields, variables));
  const callResults = await runCalls(edge, argumentSets, getSelection, traversal);
  return new Map(
    [...objectsByArgs.values()].flatMap((group, index) =>
      group.map((object) => [object, callResults[index] as EdgeResult] as const),
    ),
  );
}

/** Number of lists that start together, so that a store can read them in one round trip. */
const listsPerBatch = 5;

/** Runs the operation of an edge once for each set of arguments; null gives null. Lists queue behind all other lists of the request. */
async function runCalls(
  { reader, isNullFor }: Edge,
  argumentSets: readonly (Fields | null)[],
  getSelection: GetSelection,
  { context, loaderContext }: Traversal,
): Promise<EdgeResult[]> {
  const run = async (args: Fields | null): Promise<EdgeResult> => {
    if (!reader || !args) return { value: null };
    try {
      const value = await reader.run(args as never, loaderContext, getSelection);
      return { value: reader.kind === 'page' ? toConnection(value as Page<unknown>) : value };
    } catch (error) {
      return error instanceof AppError && isNullFor?.(error) ? { value: null } : { error };
    }
  };
  const isList = reader?.kind === 'page' && reader.isSerial;
  const batchSize = isList ? listsPerBatch : objectsPerTurn;
  const results: Promise<EdgeResult[]>[] = [];
  for (let start = 0; start < argumentSets.length; start += batchSize) {
    const runBatch = (): Promise<EdgeResult[]> =>
      Promise.all(argumentSets.slice(start, start + batchSize).map(run));
    if (isList) {
      results.push(context.readQueue(runBatch));
      continue;
    }
    const turn = start > 0 ? eventLoop.enter() : undefined;
    if (turn) await turn;
    context.budget.throwIfGone();
    results.push(runBatch());
  }
  return (await Promise.all(results)).flat();
}
