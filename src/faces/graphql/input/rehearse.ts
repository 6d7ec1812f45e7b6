import { getArgumentValues } from 'graphql/execution/values.js';
import { Kind, OperationTypeNode, visit, type DocumentNode, type FieldNode, type GraphQLSchema, type GraphQLResolveInfo, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { AppError, type ErrorCode, type Issue } from '../../../core/kernel/errors.ts';
import type { GatewayContext } from '../context.ts';
import { createNotes } from '../notes.ts';

/** What the services say of an operation's arguments. */
export interface Rehearsal {
  /** BAD_USER_INPUT, or the code of what was refused. */
  readonly code: ErrorCode;
  /** What the refusal tells beside its issues. */
  readonly details: AppError['details'];
  /** Paths start at the argument. */
  readonly issues: readonly Issue[];
}

/** An operation whose variables do not fit as they are; `fitting` is what does fit of them. */
export interface Misfitting {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fitting: Readonly<Record<string, unknown>>;
  /** The variables that do not fit. */
  readonly names: ReadonlySet<string>;
}

/** What is told of a write beside what does not fit. Whatever else it would fail with, it may not get as far. */
const told: ReadonlySet<ErrorCode> = new Set(['BAD_USER_INPUT', 'FORBIDDEN', 'PRECONDITION_FAILED']);

/** More root fields than this are not asked. */
const maxFields = 5;

/**
 * Runs the mutations that use a variable that does not fit, with what fits and without storing anything (`validateOnly`),
 * so that what is wrong in the light of what is stored is told together with what does not fit. Undefined where none of
 * them could be asked: a calendar that the caller may not see says nothing.
 */
export async function rehearse({ schema, document, operation, fitting, names }: Misfitting, context: GatewayContext): Promise<Rehearsal | undefined> {
  if (operation.operation !== OperationTypeNode.MUTATION) return undefined;
  const fields = schema.getMutationType()?.getFields() ?? {};
  const issues: Issue[] = [];
  let code: ErrorCode | undefined;
  let details: AppError['details'] = {};
  for (const node of rootFields(document, operation.selectionSet).slice(0, maxFields)) {
    const field = fields[node.name.value];
    if (!field?.resolve || field.extensions.canRehearse !== true || !uses(node, names)) continue;
    try {
      const args = { ...getArgumentValues(field, node, fitting), validateOnly: true };
      const apart = Object.create(context, { notes: { value: createNotes() } }) as GatewayContext;
      await field.resolve(undefined, args, apart, { path: { key: node.name.value } } as GraphQLResolveInfo);
      code ??= 'BAD_USER_INPUT';
    } catch (error) {
      if (!(error instanceof AppError) || !told.has(error.code)) continue;
      if (code === undefined || code === 'BAD_USER_INPUT') ({ code, details } = error);
      issues.push(...error.issues);
    }
  }
  return code && { code, details, issues };
}

function rootFields(document: DocumentNode, { selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((selection): FieldNode[] => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return rootFields(document, selection.selectionSet);
    const fragment = document.definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value);
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? rootFields(document, fragment.selectionSet) : [];
  });
}

function uses(node: FieldNode, names: ReadonlySet<string>): boolean {
  let found = false;
  visit({ ...node, selectionSet: undefined }, { Variable: ({ name }) => void (found ||= names.has(name.value)) });
  return found;
}
