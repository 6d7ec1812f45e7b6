import type { GraphQLSchema } from 'graphql';
import { requireScopes, type ScopeRule } from '../../../access/scopes.ts';
import { AppError } from '../../../core/kernel/errors.ts';
import type { Viewer } from '../../../access/permissions.ts';
import type { OperationFields } from './selected-fields.ts';

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

/** Reads the needs of an operation. */
export function needsOf(
  { node, fields }: OperationFields,
  schema: GraphQLSchema,
  scopeRules: ReadonlyMap<string, ScopeRule>,
): OperationNeeds {
  const rootFields = [...new Set(fields.map((field) => field.node.name.value))];
  const known = schema.getRootType(node.operation)?.getFields() ?? {};
  return {
    rules: rootFields.flatMap((name) => {
      const rule = known[name] && scopeRules.get(name);
      return rule ? [rule] : [];
    }),
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
