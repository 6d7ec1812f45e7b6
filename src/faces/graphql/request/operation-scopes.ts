import {
  Kind,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { requireScopes, type ScopeRule } from '../../../access/scopes.ts';
import { AppError } from '../../../core/kernel/errors.ts';
import type { Viewer } from '../../../access/permissions.ts';

export type Introspection = 'open' | 'authenticated' | 'off';

/** What an operation needs to be authorized; fields that a directive would skip count too. */
export interface OperationNeeds {
  readonly rules: readonly ScopeRule[];
  readonly introspects: boolean;
  /** The names of its root fields, those of fragments included, each once. */
  readonly rootFields: readonly string[];
}

/** Introspection fields, with `_service` of a subgraph. */
const introspective = new Set(['__schema', '__type', '_service']);

/** Reads the needs of operations, once for each operation of a parsed document. */
export function createNeedsReader(schema: GraphQLSchema, scopeRules: ReadonlyMap<string, ScopeRule>) {
  const known = new WeakMap<OperationDefinitionNode, OperationNeeds>();
  return (document: DocumentNode, operation: OperationDefinitionNode): OperationNeeds => {
    let needs = known.get(operation);
    if (!needs) {
      const names = rootFieldNames(document, operation.selectionSet);
      const rootFields = [...new Set(names)];
      const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
      needs = {
        rules: rootFields.flatMap((name) => {
          const rule = fields[name] && scopeRules.get(name);
          return rule ? [rule] : [];
        }),
        introspects: names.some((name) => introspective.has(name)),
        rootFields,
      };
      known.set(operation, needs);
    }
    return needs;
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

/** The names of an operation's root fields; each fragment is followed once. */
function rootFieldNames(document: DocumentNode, selections: SelectionSetNode): string[] {
  const seen = new Set<string>();
  const names: string[] = [];
  const visit = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) names.push(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        for (const definition of document.definitions) {
          if (
            definition.kind === Kind.FRAGMENT_DEFINITION &&
            definition.name.value === selection.name.value
          ) {
            visit(definition.selectionSet);
          }
        }
      }
    }
  };
  visit(selections);
  return names;
}
