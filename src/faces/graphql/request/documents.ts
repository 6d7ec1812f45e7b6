import { createHash } from 'node:crypto';
import {
  type DirectiveNode,
  type DocumentNode,
  getNamedType,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  Lexer,
  OperationTypeNode,
  parse,
  Source,
  TokenKind,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { requireScopes, type ScopeRule, type Viewer } from '../../../access/permissions.ts';
import { AppError, StartError } from '../../../core/errors.ts';
import { isFields } from '../../../core/patch.ts';
import { maxConditions, type Plan } from '../compiled/writer.ts';
import { type Edge, edgeOf } from '../graph.ts';
import { definitionOf, type RootCost } from './cost.ts';
import { type Params, RequestFault } from './params.ts';
import { collectFields, type OperationFields, type SelectedField, typeAround } from './selected-fields.ts';

/** Upper bound of the cache in bytes (estimated); the least recently used documents are evicted. */
const maxBytes = 64_000_000;
/** Memory of the syntax tree for each character, of a selected field, and of a field of a compiled plan (estimates). */
const bytesPerCharacter = 50;
const bytesPerField = 150;
const bytesPerPlanField = 400;
/** The cost of comparing a pair of fields, in characters. */
const charactersPerPair = 10;

/** A parsed document with what is derived from it. */
export interface ParsedDocument {
  readonly query: string;
  readonly node: DocumentNode;
  /** SHA-256 of the query, hexadecimal. */
  readonly hash: string;
  /** The cost of parsing and validating it, in characters. */
  readonly size: number;
  readonly operations: readonly ParsedOperation[];
  /** True once it was found to fit the schema. */
  isValid: boolean;
}

/** An operation of a parsed document. Optional members are set when they are needed first. */
export interface ParsedOperation extends OperationFields {
  readonly document: ParsedDocument;
  needs?: OperationNeeds;
  costs?: readonly RootCost[];
  plan?: Plan | 'not compiled';
}

/** Operations that the operators list, by their keys, and whether these are the only ones that run. */
interface ListedOperations {
  readonly documents: ReadonlyMap<string, ParsedDocument>;
  readonly only: boolean;
}

/**
 * Finds or parses the document of a request, which may name it by its hash once it is known, as Apollo's automatic persisted
 * queries have it, or by its key in the manifest. Throws for unknown names, syntax errors, and documents beyond the limits or not listed.
 */
export type ReadDocument = (params: Pick<Params, 'query' | 'persisted' | 'documentId'>) => ParsedDocument;

/** Caches parsed documents. Listed ones are never evicted. */
export function createDocumentReader(manifest?: ListedOperations): ReadDocument {
  const listed = [...(manifest?.documents.values() ?? [])];
  const listedByQuery = new Map(listed.map((document) => [document.query, document]));
  const queryByHash = new Map(listed.map(({ hash, query }) => [hash, query]));
  const cache = new LRUCache<string, ParsedDocument>({
    maxSize: maxBytes,
    sizeCalculation: bytesOf,
    onInsert: ({ hash, query }) => void queryByHash.set(hash, query),
    dispose: ({ hash }) => void queryByHash.delete(hash),
  });
  const find = (query: string): ParsedDocument => {
    const known = listedByQuery.get(query) ?? cache.get(query);
    if (known) return known;
    if (manifest?.only) throw notListed();
    const document = parseDocument(query);
    cache.set(query, document);
    return document;
  };
  return ({ query, persisted, documentId }) => {
    const named = documentId === undefined ? undefined : manifest?.documents.get(documentId);
    const hash = documentId === undefined || manifest ? undefined : sha256Of(documentId);
    const text = query ?? named?.query ?? queryByHash.get(hash ?? persisted ?? '');
    if (persisted !== undefined && hash !== undefined && persisted !== hash)
      throw new RequestFault(otherDocument);
    // In the words that Apollo's clients act upon.
    if (text === undefined)
      throw new GraphQLError('PersistedQueryNotFound', {
        extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
      });
    const document = find(text);
    if (persisted !== undefined && persisted !== document.hash)
      throw new RequestFault('sha256Hash is not the SHA-256 of the query.');
    if (documentId !== undefined && !(manifest ? named?.query === text : hash === document.hash))
      throw new RequestFault(otherDocument);
    return document;
  };
}

const otherDocument = 'documentId names another document than the rest of the request.';

function sha256Of(documentId: string): string {
  if (/^[\da-f]{64}$/i.test(documentId)) return documentId.toLowerCase();
  throw new RequestFault('documentId must be the SHA-256 of the document: 64 hexadecimal digits.');
}

function notListed(): AppError {
  const message =
    'This server runs the operations of its list only, and this one is not among them. Ask its operators to add it.';
  return new AppError('FORBIDDEN', 'forbidden', message, [{ path: ['query'], reason: 'forbidden', message }]);
}

/** Counts the plan of a document before it is compiled: one for each combination of its conditions. */
const bytesOf = ({ query, operations }: ParsedDocument): number =>
  operations.reduce((sum, { fieldCount, conditionNames: { length } }) => {
    const variants = length > maxConditions ? 0 : 2 ** length;
    return sum + fieldCount * (bytesPerField + variants * bytesPerPlanField);
  }, query.length * bytesPerCharacter);

export function parseDocument(query: string): ParsedDocument {
  const fault = textFault(query);
  if (fault !== undefined) throw new RequestFault(fault);
  const node = parse(query);
  const { operations, pairs } = collectFields(node);
  forbidConditionalRoots(operations);
  const parsed: ParsedOperation[] = [];
  const document: ParsedDocument = {
    query,
    node,
    hash: createHash('sha256').update(query).digest('hex'),
    size: query.length + pairs * charactersPerPair,
    operations: parsed,
    isValid: false,
  };
  for (const operation of operations) parsed.push({ ...operation, document });
  return document;
}

/**
 * Throws for a subscription whose root field depends on `@skip` or `@include`: the specification demands exactly one root
 * field. The library counts root fields without knowing variables, and would throw for the document, whichever of its
 * operations is to run.
 */
function forbidConditionalRoots(operations: readonly OperationFields[]): void {
  const nodes = new Set<DirectiveNode>();
  for (const { node, fields } of operations)
    if (node.operation === OperationTypeNode.SUBSCRIPTION)
      for (let { condition } of fields)
        for (; condition; condition = condition.outer)
          if (condition.directive) nodes.add(condition.directive);
  if (nodes.size > 0)
    throw new GraphQLError('The root field of a subscription must not depend on @skip or @include.', {
      nodes: [...nodes],
    });
}

/** The longest document in tokens: the time of the library's validation grows with its square. */
const maxTokens = 5_000;
/** The deepest nesting of braces, brackets and parentheses: parser and validation recurse as deep. */
const maxNesting = 40;

const opening: readonly string[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L];
const closing: readonly string[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R];

/** Why a document is refused before it is parsed, as a message; undefined for no reason. */
function textFault(document: string): string | undefined {
  const brackets = document.match(/[{[(]/g)?.length ?? 0;
  if (document.length <= maxTokens && brackets <= maxNesting) return undefined; // neither limit is in reach
  const lexer = new Lexer(new Source(document));
  let depth = 0;
  try {
    for (let tokens = 0; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
      if (tokens === maxTokens)
        return `A document may have ${maxTokens} tokens at most. Send long inputs in variables.`;
      const { kind } = lexer.token;
      if (opening.includes(kind)) depth += 1;
      else if (closing.includes(kind)) depth -= 1;
      if (depth > maxNesting) return `A document may be nested ${maxNesting} levels deep at most.`;
    }
  } catch {
    // A lexical error: the parser fails there too, and reports its location.
  }
  return undefined;
}

export type Introspection = 'open' | 'authenticated' | 'off';

/** Scope rules of root fields and of fields below them, and root fields, that authorize an operation; fields that a directive would skip count too. */
interface OperationNeeds {
  readonly rules: readonly ScopeRule[];
  readonly introspects: boolean;
  /** The names of its root fields, those of fragments included, each once. */
  readonly rootFields: readonly string[];
}

/** Introspection fields, with `_service` of a subgraph. */
const introspective = new Set(['__schema', '__type', '_service']);

/** Errors at edges repeat the keys down to them for each object. */
const maxKeyLength = 256;

/** Reads the needs of an operation, and sets its edges. */
export function needsOf(
  operation: OperationFields,
  schema: GraphQLSchema,
  scopeRules: ReadonlyMap<string, ScopeRule>,
): OperationNeeds {
  const { node, fields } = operation;
  const rootFields = [...new Set(fields.map((field) => field.node.name.value))];
  const root = schema.getRootType(node.operation) ?? undefined;
  const rules = new Set<ScopeRule>();
  const edges = new Map<SelectedField, Edge | undefined>();
  /** Whether there are edges among the fields or below them. */
  const search = (selected: readonly SelectedField[], parent: GraphQLNamedType | undefined): boolean => {
    let isFound = false;
    for (const field of selected) {
      const type = typeAround(field, parent, schema);
      const definition = definitionOf(field.node.name.value, type);
      if (!definition) continue;
      const rule = scopeRules.get(type === root ? definition.name : `${type?.name}.${definition.name}`);
      if (rule) rules.add(rule);
      const edge = edgeOf(definition);
      const leads = search(field.fields, getNamedType(definition.type));
      if (!edge && !leads) continue;
      if (field.key.length > maxKeyLength)
        throw new GraphQLError(
          `The alias of an edge, and of a field above one, may have ${maxKeyLength} characters at most.`,
          { nodes: field.node },
        );
      edges.set(field, edge);
      isFound = true;
    }
    return isFound;
  };
  if (search(fields, root)) operation.edges = edges;
  return {
    rules: [...rules],
    introspects: rootFields.some((name) => introspective.has(name)),
    rootFields,
  };
}

/** Whether the caller may see the schema. */
export const mayIntrospect = (viewer: Viewer | undefined, introspection: Introspection): boolean =>
  introspection === 'open' || (introspection === 'authenticated' && viewer !== undefined);

/** Throws when the caller may not run an operation with these needs. */
export function admit(viewer: Viewer | undefined, needs: OperationNeeds, introspection: Introspection): void {
  requireScopes(viewer, needs.rules);
  if (!needs.introspects || mayIntrospect(viewer, introspection)) return;
  if (introspection === 'off')
    throw new AppError('FORBIDDEN', 'forbidden', 'Introspection is switched off on this server.');
  throw new AppError(
    'UNAUTHENTICATED',
    'authError',
    'Introspection needs an Authorization header with a token.',
  );
}

/**
 * Reads a manifest: that of `@apollo/generate-persisted-query-manifest`, or an object with the text of each document by its key, as
 * graphql-codegen's client preset (`persisted-documents.json`) and the Relay compiler write it. Throws StartError for another form, and
 * for operations that do not fit the schema. Keys are taken as they are: whoever wrote the manifest says what they are made of.
 */
export function listedOperations(manifest: unknown, only: boolean, schema: GraphQLSchema): ListedOperations {
  const documents = new Map<string, ParsedDocument>();
  const problems = entriesOf(manifest).flatMap(({ name, id, body }) => {
    const problemOf = (problem: string): string => `  ${name}: ${problem}`;
    if (typeof id !== 'string' || typeof body !== 'string')
      return [problemOf('it must have an id and a body.')];
    try {
      const document = parseDocument(body);
      document.isValid = true; // or else the gateway does not start
      documents.set(id.replace(/^sha256:/, ''), document);
      return validate(schema, document.node).map(({ message }) => problemOf(message));
    } catch (error) {
      return [problemOf((error as Error).message)];
    }
  });
  if (problems.length > 0)
    throw new StartError(`OPERATIONS_FILE: some operations cannot be used:\n${problems.join('\n')}`);
  return { documents, only };
}

function entriesOf(
  manifest: unknown,
): { readonly name: string; readonly id: unknown; readonly body: unknown }[] {
  if (isFields(manifest) && manifest.format === undefined)
    return Object.entries(manifest).map(([id, body]) => ({ name: id, id, body }));
  const isApollo =
    isFields(manifest) && manifest.format === 'apollo-persisted-query-manifest' && manifest.version === 1;
  const operations: unknown = isApollo ? manifest.operations : undefined;
  if (!Array.isArray(operations))
    throw new StartError(
      'OPERATIONS_FILE: it must be an apollo-persisted-query-manifest of version 1, or an object of documents by their keys.',
    );
  return operations.map((operation: unknown, index) => {
    const { id, body, name } = isFields(operation) ? operation : {};
    return { name: typeof name === 'string' ? name : `operations[${index}]`, id, body };
  });
}
