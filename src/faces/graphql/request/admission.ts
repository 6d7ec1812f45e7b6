import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Caller } from '../../../access/caller.ts';
import type { ScopeRule } from '../../../access/scopes.ts';
import type { HttpRequest } from '../../../http/face.ts';
import type { Admission } from '../../../operations/admission.ts';
import { createCostReader, units } from './cost.ts';
import type { Documents } from './documents.ts';
import { admit, createNeedsReader, type Introspection } from './operation-scopes.ts';
import { readParams, RequestFault, type Params } from './params.ts';
import type { PersistedQueries } from './persisted-queries.ts';
import { sizeOf } from './size.ts';

/** A request that was authorized and charged; its document may still not fit the schema. */
export interface Admitted {
  readonly params: Params;
  readonly query: string;
  /** SHA-256 of the query, hexadecimal. */
  readonly hash: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly rootFields: readonly string[];
  readonly cost: number;
}

export interface DocumentAdmissionParts {
  readonly schema: GraphQLSchema;
  readonly scopeRules: ReadonlyMap<string, ScopeRule>;
  readonly introspection: Introspection;
  readonly admission: Admission;
  readonly documents: Documents;
  readonly persisted: PersistedQueries;
}

/** Authorizes and charges a request before anything of it runs. Throws when it may not run, or not on this path. */
export type AdmitDocument = (
  request: HttpRequest,
  caller: Caller,
  kinds: 'all' | 'subscriptions',
) => Admitted;

/**
 * Runs cheap checks first: form, size, limits of the document, scopes, cost. Every request is charged: by its cost, or by its
 * size when it is refused before its cost is known.
 */
export function createDocumentAdmission({
  schema,
  scopeRules,
  introspection,
  admission,
  documents,
  persisted,
}: DocumentAdmissionParts): AdmitDocument {
  const needsOf = createNeedsReader(schema, scopeRules);
  const costOf = createCostReader(schema);

  return (request, caller, kinds) =>
    admission.decide(caller, (bill) => {
      const inputSize = sizeOf(request.method === 'POST' ? request.body : request.search);
      bill.cost = units(inputSize);
      const params = readParams(request);
      const query = persisted.resolve(params);
      bill.cost = units(inputSize + query.length);
      const { document, hash, size: documentSize } = documents(query);
      const size = inputSize + documentSize;
      bill.cost = units(size);
      persisted.keep(params);
      const operation = operationOf(document, params.operationName);
      checkKind(operation, request.method, kinds);
      const needs = needsOf(document, operation);
      admit(caller.viewer, needs, introspection);
      const cost = costOf(document, operation, params.variables, size);
      bill.settle(cost);
      return { params, query, hash, document, operation, rootFields: needs.rootFields, cost };
    });
}

function checkKind(
  { operation }: OperationDefinitionNode,
  method: string,
  kinds: 'all' | 'subscriptions',
): void {
  if (operation !== OperationTypeNode.SUBSCRIPTION && kinds === 'subscriptions') {
    throw new GraphQLError(`/graphql/stream is for subscriptions only: send a ${operation} to /graphql.`);
  }
  if (operation === OperationTypeNode.MUTATION && method !== 'POST') {
    throw new RequestFault('A GET may hold queries and subscriptions only. Send a mutation by POST.', 405, {
      allow: 'POST',
    });
  }
}

function operationOf(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, name);
  if (operation) return operation;
  throw new GraphQLError(
    name === undefined
      ? 'The document must hold one operation, or operationName must say which one is meant.'
      : 'The document holds no operation with the name in operationName.',
  );
}
