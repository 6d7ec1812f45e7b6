import { validate, type GraphQLSchema } from 'graphql';
import { StartError } from '../../../core/kernel/errors.ts';
import { isFields } from '../../../core/kernel/patch.ts';
import { parseDocument, type ListedOperations, type ParsedDocument } from './documents.ts';

/** A manifest cannot be used; the message names each faulty operation. */
export class OperationsError extends StartError {}

/**
 * Reads a manifest in the form of `@apollo/generate-persisted-query-manifest`: each operation with its body, and its
 * SHA-256 as its id. Throws OperationsError for another form, and for operations that do not fit the schema.
 */
export function listedOperations(manifest: unknown, only: boolean, schema: GraphQLSchema): ListedOperations {
  const isManifest =
    isFields(manifest) && manifest.format === 'apollo-persisted-query-manifest' && manifest.version === 1;
  const operations: unknown = isManifest ? manifest.operations : undefined;
  if (!Array.isArray(operations))
    throw new OperationsError('OPERATIONS_FILE: it must be an apollo-persisted-query-manifest of version 1.');
  const documents: ParsedDocument[] = [];
  const problems = operations.flatMap((operation: unknown, index) => {
    const { id, body, name } = isFields(operation) ? operation : {};
    const problemOf = (problem: string): string =>
      `  ${typeof name === 'string' ? name : `operations[${index}]`}: ${problem}`;
    if (typeof id !== 'string' || typeof body !== 'string')
      return [problemOf('it must have an id and a body.')];
    try {
      const document = parseDocument(body);
      documents.push(document);
      if (id.toLowerCase() !== document.hash) return [problemOf('its id is not the SHA-256 of its body.')];
      document.isValid = true; // or else the gateway does not start
      return validate(schema, document.node).map(({ message }) => problemOf(message));
    } catch (error) {
      return [problemOf((error as Error).message)];
    }
  });
  if (problems.length > 0)
    throw new OperationsError(`OPERATIONS_FILE: some operations cannot be used:\n${problems.join('\n')}`);
  return { documents, only };
}
