import { GraphQLError, OperationTypeNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import type { Caller } from '../../../access/permissions.ts';
import type { HttpRequest } from '../../../http/face.ts';
import type { Admission } from '../../../operations/context.ts';
import { costOf, createCostModel, sizeOf, toCostUnits } from './cost.ts';
import {
  authorize,
  type Introspection,
  collectRequirements,
  mayIntrospect,
  type ParsedDocument,
  type ParsedOperation,
  type ReadDocument,
} from './documents.ts';
import { readParams, RequestError } from './params.ts';

/** Authorizes and charges a request before it runs. Throws if the request may not run, or not on this path. */
export type AdmitRequest = ReturnType<typeof createRequestAdmission>;

/** A request that was authorized and charged; its document may still be invalid. */
export type AdmittedRequest = ReturnType<AdmitRequest>;

/** Checks requests, cheap checks first: form, size, limits, scopes, cost. A request refused early is charged for its size. */
export function createRequestAdmission(
  schema: GraphQLSchema,
  introspection: Introspection,
  admission: Admission,
  readDocument: ReadDocument,
) {
  const createCosts = createCostModel(schema);

  return (request: HttpRequest, caller: Caller, allowedKinds: 'all' | 'subscriptions') =>
    admission.decide(caller, (requestCost) => {
      const inputSize = sizeOf(request.method === 'POST' ? request.body : request.search);
      requestCost.cost = toCostUnits(inputSize);
      const params = readParams(request);
      requestCost.cost = toCostUnits(inputSize + (params.query?.length ?? 0));
      const document = readDocument(params);
      const size = inputSize + document.size;
      requestCost.cost = toCostUnits(size);
      const operation = selectOperation(document, params.operationName);
      const { node, fields } = operation;
      requireAllowedKind(node, request.method, allowedKinds);
      authorize(caller.viewer, (operation.requirements ??= collectRequirements(operation)), introspection);
      operation.costsFor ??= createCosts(fields, node.variableDefinitions);
      const { variables } = params;
      const cost = costOf(operation.costsFor(variables), variables, size);
      requestCost.setCost(cost);
      /** Whether messages may suggest names of the schema. */
      const maySeeSchema = mayIntrospect(caller.viewer, introspection);
      return { operation, variables, cost, maySeeSchema };
    });
}

/** Throws for an operation that this endpoint, or a GET, must not run. */
function requireAllowedKind(
  { operation }: OperationDefinitionNode,
  method: string,
  allowedKinds: 'all' | 'subscriptions',
): void {
  if (operation !== OperationTypeNode.SUBSCRIPTION && allowedKinds === 'subscriptions') {
    throw new GraphQLError(`/graphql/stream is for subscriptions only: send a ${operation} to /graphql.`);
  }
  if (operation === OperationTypeNode.MUTATION && method !== 'POST') {
    throw new RequestError('A GET may hold queries and subscriptions only. Send a mutation by POST.', 405, {
      allow: 'POST',
    });
  }
}

/** Selects the operation of a document that a request names, or its only one. */
function selectOperation({ operations }: ParsedDocument, name: string | undefined): ParsedOperation {
  const [operation, ...others] =
    name === undefined ? operations : operations.filter(({ node }) => node.name?.value === name);
  if (operation && (name !== undefined || others.length === 0)) return operation;
  throw new GraphQLError(
    name === undefined
      ? 'The document must hold one operation, or operationName must say which one is meant.'
      : 'The document holds no operation with the name in operationName.',
  );
}
