import {
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Log } from '../../../core/runtime/log.ts';
import { clientError, type ClientError } from '../errors.ts';
import { createDocumentErrors } from '../input/document-errors.ts';
import { bounded, maxErrors } from './bounds.ts';

/** The operation that errors belong to. */
interface ErrorSource {
  readonly schema: GraphQLSchema;
  /** Absent for a document that could not be parsed. */
  readonly document?: DocumentNode;
  readonly operation?: OperationDefinitionNode;
  /** Whether the caller may see the schema. */
  readonly seesSchema: boolean;
  readonly requestId: string;
  readonly log: Log;
}

/** The errors of an operation in their final form. */
export function clientErrors(
  errors: readonly GraphQLError[],
  { schema, document, operation, seesSchema, requestId, log }: ErrorSource,
): ClientError[] {
  const bound = errors.filter(({ path }, index) => path !== undefined || index < maxErrors);
  const ofDocument = bound.filter(isOfDocument);
  const documentError =
    document && ofDocument.length > 0
      ? createDocumentErrors(schema, document, ofDocument, seesSchema)
      : undefined;
  return bounded(
    bound.map((error) => {
      // An error below the root field of a mutation: the mutation itself was carried out.
      const done = operation?.operation === OperationTypeNode.MUTATION && (error.path?.length ?? 0) > 1;
      return clientError(
        documentError && isOfDocument(error) ? documentError(error) : error,
        requestId,
        log,
        done,
      );
    }),
  );
}

/** True for errors in the document; the GraphQL library finds some of them only when it reads an argument. */
const isOfDocument = ({ extensions, path, originalError }: GraphQLError): boolean =>
  extensions.code === 'GRAPHQL_VALIDATION_FAILED' ||
  (path !== undefined && originalError instanceof GraphQLError);
