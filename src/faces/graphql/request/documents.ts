import { createHash } from 'node:crypto';
import {
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
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
import { type Fields, isFields } from '../../../core/json.ts';
import { maxConditions, type Plan } from '../compiled/writer.ts';
import { scopeRuleOf } from '../graph.ts';
import type { RootCost } from './cost.ts';
import { type Params, RequestError } from './params.ts';
import { collectFields, type OperationFields, type SelectedField } from './selected-fields.ts';

/** Maximum estimated size of the LRU cache of documents. */
const maxCacheBytes = 64_000_000;
/** Estimated memory per character of the syntax tree, per selected field, and per field of a compiled plan. */
const bytesPerCharacter = 50;
const bytesPerField = 150;
const bytesPerPlanField = 400;
/** Cost of comparing a pair of fields, in characters. */
const charactersPerPair = 10;

/** A document within the limits. Valid for the schema only if `isValid`. */
export interface ParsedDocument {
  readonly query: string;
  readonly node: DocumentNode;
  /** SHA-256 of the query, hexadecimal. */
  readonly hash: string;
  /** Cost of parsing and validating the document, in characters. */
  readonly size: number;
  readonly operations: readonly ParsedOperation[];
  isValid: boolean;
}

/** An operation of a parsed document. Optional members are computed on first use. */
export interface ParsedOperation extends OperationFields {
  readonly document: ParsedDocument;
  requirements?: OperationRequirements;
  costsFor?: (variables: Fields) => readonly RootCost[];
  plan?: Plan | 'not compiled';
}

/** Documents of the manifest by key. `isExclusive`: no other documents run. */
interface Manifest {
  readonly documents: ReadonlyMap<string, ParsedDocument>;
  readonly isExclusive: boolean;
}

/** Finds or parses a document by text, by hash (automatic persisted queries), or by key in the manifest. Throws if unknown, invalid or unlisted. */
export type ReadDocument = ReturnType<typeof createDocumentReader>;

/** Creates the reader and cache of documents. Documents of the manifest are never evicted. */
export function createDocumentReader(schema: GraphQLSchema, manifest?: Manifest) {
  const listedDocuments = [...(manifest?.documents.values() ?? [])];
  const listedByQuery = new Map(listedDocuments.map((document) => [document.query, document]));
  const queryByHash = new Map(listedDocuments.map(({ hash, query }) => [hash, query]));
  const cache = new LRUCache<string, ParsedDocument>({
    maxSize: maxCacheBytes,
    sizeCalculation: estimateBytes,
    onInsert: ({ hash, query }) => void queryByHash.set(hash, query),
    dispose: ({ hash }) => void queryByHash.delete(hash),
  });
  const findOrParse = (query: string): ParsedDocument => {
    const knownDocument = listedByQuery.get(query) ?? cache.get(query);
    if (knownDocument) return knownDocument;
    if (manifest?.isExclusive) throw unlistedError();
    const document = parseDocument(query, schema);
    cache.set(query, document);
    return document;
  };
  return ({
    query,
    persistedHash,
    documentId,
  }: Pick<Params, 'query' | 'persistedHash' | 'documentId'>): ParsedDocument => {
    const listedById = documentId === undefined ? undefined : manifest?.documents.get(documentId);
    const hash = documentId === undefined || manifest ? undefined : requireSha256(documentId);
    const text = query ?? listedById?.query ?? queryByHash.get(hash ?? persistedHash ?? '');
    if (persistedHash !== undefined && hash !== undefined && persistedHash !== hash)
      throw new RequestError(documentMismatch);
    // Apollo's clients react to this exact message and code.
    if (text === undefined)
      throw new GraphQLError('PersistedQueryNotFound', {
        extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
      });
    const document = findOrParse(text);
    if (persistedHash !== undefined && persistedHash !== document.hash)
      throw new RequestError('sha256Hash is not the SHA-256 of the query.');
    if (documentId !== undefined && !(manifest ? listedById?.query === text : hash === document.hash))
      throw new RequestError(documentMismatch);
    return document;
  };
}

const documentMismatch = 'documentId names another document than the rest of the request.';

function requireSha256(documentId: string): string {
  if (/^[\da-f]{64}$/i.test(documentId)) return documentId.toLowerCase();
  throw new RequestError('documentId must be the SHA-256 of the document: 64 hexadecimal digits.');
}

function unlistedError(): AppError {
  const message =
    'This server runs only listed operations, and this one is not listed. Ask its operators to add it.';
  return new AppError('FORBIDDEN', 'forbidden', message, [{ path: ['query'], reason: 'forbidden', message }]);
}

/** Estimates the memory of a document, including a plan for each combination of its conditions, compiled or not. */
const estimateBytes = ({ query, operations }: ParsedDocument): number =>
  operations.reduce((sum, { fieldCount, conditionNames: { length } }) => {
    const variants = length > maxConditions ? 0 : 2 ** length;
    return sum + fieldCount * (bytesPerField + variants * bytesPerPlanField);
  }, query.length * bytesPerCharacter);

/** Parses a document, and checks its limits. Throws for a document that exceeds one or has a syntax error. */
export function parseDocument(query: string, schema: GraphQLSchema): ParsedDocument {
  const violation = findLimitViolation(query);
  if (violation !== undefined) throw new RequestError(violation);
  const node = parse(query);
  const { operations, pairCount } = collectFields(node, schema);
  forbidConditionalRoots(operations);
  const parsedOperations: ParsedOperation[] = [];
  const document: ParsedDocument = {
    query,
    node,
    hash: createHash('sha256').update(query).digest('hex'),
    size: query.length + pairCount * charactersPerPair,
    operations: parsedOperations,
    isValid: false,
  };
  for (const operation of operations) parsedOperations.push({ ...operation, document });
  return document;
}

/** Refuses conditional root fields of subscriptions: graphql-js, which ignores variables, would refuse the document for all its operations. */
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

/** Maximum length of a document in tokens: validation in graphql-js takes quadratic time. */
const maxTokens = 5_000;
/** Maximum nesting of braces, brackets and parentheses: parser and validation are recursive. */
const maxNesting = 40;

const openingTokens: readonly string[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L];
const closingTokens: readonly string[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R];

/** Checks a document before the recursive parser sees it. Returns the message of an exceeded limit. */
function findLimitViolation(document: string): string | undefined {
  const bracketCount = document.match(/[{[(]/g)?.length ?? 0;
  if (document.length <= maxTokens && bracketCount <= maxNesting) return undefined; // too short to exceed a limit
  const lexer = new Lexer(new Source(document));
  let depth = 0;
  try {
    for (let tokenCount = 0; lexer.advance().kind !== TokenKind.EOF; tokenCount += 1) {
      if (tokenCount === maxTokens)
        return `A document may have ${maxTokens} tokens at most. Send long inputs in variables.`;
      const { kind } = lexer.token;
      if (openingTokens.includes(kind)) depth += 1;
      else if (closingTokens.includes(kind)) depth -= 1;
      if (depth > maxNesting) return `A document may be nested ${maxNesting} levels deep at most.`;
    }
  } catch {
    // The parser will fail at the same lexical error and report its location.
  }
  return undefined;
}

/** Access to introspection: for everybody, for callers with a token, or for nobody. */
export type Introspection = 'open' | 'authenticated' | 'off';

/** Properties of an operation that decide on its authorization. Fields that a directive would skip count too. */
interface OperationRequirements {
  readonly rules: readonly ScopeRule[];
  readonly includesIntrospection: boolean;
  /** Distinct names of all root fields, including those in fragments. */
  readonly rootFields: readonly string[];
}

/** Introspection fields, and `_service` of a subgraph. */
const introspectionFields = new Set(['__schema', '__type', '_service']);

/** Collects what the authorization of an operation needs to know. */
export function collectRequirements({ fields }: OperationFields): OperationRequirements {
  const rules = new Set<ScopeRule>();
  const collectRules = (selected: readonly SelectedField[]): void => {
    for (const { definition, fields: children } of selected) {
      const rule = definition && scopeRuleOf(definition);
      if (rule) rules.add(rule);
      collectRules(children);
    }
  };
  collectRules(fields);
  const rootFields = [...new Set(fields.map((field) => field.node.name.value))];
  return {
    rules: [...rules],
    includesIntrospection: rootFields.some((name) => introspectionFields.has(name)),
    rootFields,
  };
}

export const mayIntrospect = (viewer: Viewer | undefined, introspection: Introspection): boolean =>
  introspection === 'open' || (introspection === 'authenticated' && viewer !== undefined);

/** Throws if the viewer lacks a scope that the operation requires, or may not introspect. */
export function authorize(
  viewer: Viewer | undefined,
  operationRequirements: OperationRequirements,
  introspection: Introspection,
) {
  requireScopes(viewer, operationRequirements.rules);
  if (!operationRequirements.includesIntrospection || mayIntrospect(viewer, introspection)) return;
  if (introspection === 'off')
    throw new AppError('FORBIDDEN', 'forbidden', 'Introspection is switched off on this server.');
  throw new AppError(
    'UNAUTHENTICATED',
    'authError',
    'Introspection needs an Authorization header with a token.',
  );
}

/** Reads a manifest of Apollo, or documents by opaque key (graphql-codegen's client preset, Relay). Throws StartError for other formats and invalid operations. */
export function parseManifest(manifest: unknown, isExclusive: boolean, schema: GraphQLSchema): Manifest {
  const documents = new Map<string, ParsedDocument>();
  const problems = readManifestEntries(manifest).flatMap(({ name, id, body }) => {
    const describeProblem = (problem: string): string => `  ${name}: ${problem}`;
    if (typeof id !== 'string' || typeof body !== 'string')
      return [describeProblem('it must have an id and a body.')];
    try {
      const document = parseDocument(body, schema);
      document.isValid = true; // an invalid document stops the start
      documents.set(id.replace(/^sha256:/, ''), document);
      return validate(schema, document.node).map(({ message }) => describeProblem(message));
    } catch (error) {
      return [describeProblem((error as Error).message)];
    }
  });
  if (problems.length > 0)
    throw new StartError(`OPERATIONS_FILE: some operations cannot be used:\n${problems.join('\n')}`);
  return { documents, isExclusive };
}

function readManifestEntries(
  manifest: unknown,
): { readonly name: string; readonly id: unknown; readonly body: unknown }[] {
  if (isFields(manifest) && manifest.format === undefined)
    return Object.entries(manifest).map(([id, body]) => ({ name: id, id, body }));
  const isApolloManifest =
    isFields(manifest) && manifest.format === 'apollo-persisted-query-manifest' && manifest.version === 1;
  const operations: unknown = isApolloManifest ? manifest.operations : undefined;
  if (!Array.isArray(operations))
    throw new StartError(
      'OPERATIONS_FILE: it must be an apollo-persisted-query-manifest of version 1, or an object of documents by their keys.',
    );
  return operations.map((operation: unknown, index) => {
    const { id, body, name } = isFields(operation) ? operation : {};
    return { name: typeof name === 'string' ? name : `operations[${index}]`, id, body };
  });
}
