import { getArgumentValues } from 'graphql/execution/values.js';
import {
  Kind,
  OperationTypeNode,
  valueFromAST,
  visit,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type GraphQLResolveInfo,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { AppError, ErrorCode, Issue } from '../../../core/kernel/errors.ts';
import { rehearsalOf, type Rehearsal } from '../../../operations/faults.ts';
import type { IssuesOf } from '../../../operations/operation.ts';
import type { GatewayContext } from '../context.ts';
import { createNotes } from '../notes.ts';
import type { Variables } from './variable-reader.ts';

/** An operation with coercion errors in its variables. */
export interface RehearsalRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** What of the variables fits. */
  readonly values: Variables;
  /** The variables with coercion errors. */
  readonly names: ReadonlySet<string>;
}

const maxRootFields = 5;

/**
 * Runs the mutations that use a variable with coercion errors, with the values that fit and `validateOnly`, so that issues
 * which depend on stored data are reported together with the coercion errors. Undefined when no mutation could be run, or
 * none may be reported: a calendar that the caller may not see stays unknown.
 */
export async function rehearse(
  { schema, document, operation, values, names }: RehearsalRequest,
  context: GatewayContext,
): Promise<Rehearsal | undefined> {
  if (operation.operation !== OperationTypeNode.MUTATION) return undefined;
  const fields = schema.getMutationType()?.getFields() ?? {};
  const fragments = Object.fromEntries(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [],
    ),
  );
  const issues: Issue[] = [];
  let code: ErrorCode | undefined;
  let details: AppError['details'] = {};
  for (const node of rootFields(document, operation.selectionSet).slice(0, maxRootFields)) {
    const field = fields[node.name.value];
    if (!field?.resolve || field.extensions.canRehearse !== true || !uses(node, names)) continue;
    const found = await rehearsalOf(() => {
      const args = { ...getArgumentValues(field, node, values), validateOnly: true };
      const apart = Object.create(context, { notes: { value: createNotes() } }) as GatewayContext;
      return field.resolve?.(undefined, args, apart, {
        path: { key: (node.alias ?? node.name).value },
        fieldNodes: [node],
        fragments,
        operation,
        variableValues: values,
      } as unknown as GraphQLResolveInfo);
    });
    if (!found) continue;
    if (code === undefined || code === 'BAD_USER_INPUT') ({ code, details } = found);
    issues.push(...found.issues);
  }
  return code && { code, details, issues };
}

/** What is wrong with arguments of root fields by themselves, beside those of them that have coercion errors. */
export function argumentIssues({ schema, document, operation, values, names }: RehearsalRequest): Issue[] {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  return rootFields(document, operation.selectionSet)
    .slice(0, maxRootFields)
    .filter((node) => uses(node, names))
    .flatMap((node) => {
      const { args = [], extensions } = fields[node.name.value] ?? {};
      const given = args.flatMap(({ name, type }): [string, unknown][] => {
        const { value } = node.arguments?.find((one) => one.name.value === name) ?? {};
        const read: unknown = value && !uses(value, names) ? valueFromAST(value, type, values) : undefined;
        return read === undefined ? [] : [[name, read]];
      });
      return (extensions?.issuesOf as IssuesOf<object> | undefined)?.(Object.fromEntries(given)) ?? [];
    });
}

function rootFields(document: DocumentNode, { selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((selection): FieldNode[] => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return rootFields(document, selection.selectionSet);
    const fragment = document.definitions.find(
      (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? rootFields(document, fragment.selectionSet) : [];
  });
}

function uses(node: FieldNode | ValueNode, names: ReadonlySet<string>): boolean {
  let found = false;
  visit(node.kind === Kind.FIELD ? { ...node, selectionSet: undefined } : node, {
    Variable: ({ name }) => void (found ||= names.has(name.value)),
  });
  return found;
}
