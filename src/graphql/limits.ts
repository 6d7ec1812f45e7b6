import { GraphQLError, Kind, Lexer, Source, TokenKind, type ASTVisitor, type SelectionSetNode, type ValidationContext } from 'graphql';

/** The longest document in tokens: what the checks of the library cost grows with its square. */
const maxTokens = 5_000;
/** How deep braces, brackets and parentheses may lie in each other: parser and checks recurse as deep. */
const maxNesting = 40;
const maxRootFields = 100;
const maxFields = 5_000;

const opening: readonly string[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L];
const closing: readonly string[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R];

/** What forbids even to parse a document, as a message; undefined when nothing does. */
export function documentFault(document: string): string | undefined {
  const brackets = document.match(/[{[(]/g)?.length ?? 0;
  if (document.length <= maxTokens && brackets <= maxNesting) return undefined; // neither limit is in reach
  const lexer = new Lexer(new Source(document));
  let depth = 0;
  try {
    for (let tokens = 0; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
      if (tokens === maxTokens) return `A document may have ${maxTokens} tokens at most. Send long inputs in variables.`;
      const { kind } = lexer.token;
      if (opening.includes(kind)) depth += 1;
      else if (closing.includes(kind)) depth -= 1;
      if (depth > maxNesting) return `A document may be nested ${maxNesting} levels deep at most.`;
    }
  } catch {
    // Not even tokens: the parser stops there too, and tells where.
  }
  return undefined;
}

/** A validation rule: how many fields an operation may ask for, those of a fragment counted wherever it is used. */
export function fieldLimits(context: ValidationContext): ASTVisitor {
  const sizes = new Map<string, number>();
  const sizeOf = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((sum, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return sum + sizeOfFragment(selection.name.value);
      return sum + (selection.kind === Kind.FIELD ? 1 : 0) + sizeOf(selection.selectionSet);
    }, 0);
  const sizeOfFragment = (name: string): number => {
    let size = sizes.get(name);
    if (size === undefined) {
      sizes.set(name, 0); // for a fragment that holds itself; another rule refuses those
      size = sizeOf(context.getFragment(name)?.selectionSet);
      sizes.set(name, size);
    }
    return size;
  };
  return {
    OperationDefinition(operation) {
      const refuse = (message: string): void => context.reportError(new GraphQLError(message, { nodes: operation }));
      if (rootFields(operation.selectionSet, context) > maxRootFields) refuse(`An operation may have ${maxRootFields} root fields at most.`);
      if (sizeOf(operation.selectionSet) > maxFields) {
        refuse(`An operation may ask for ${maxFields} fields at most; those of a fragment count wherever it is used.`);
      }
    },
  };
}

/** A fragment's root fields count once: wherever it is used they are the same ones. */
function rootFields(set: SelectionSetNode | undefined, context: ValidationContext, seen = new Set<string>()): number {
  return (set?.selections ?? []).reduce((sum, selection) => {
    if (selection.kind === Kind.FIELD) return sum + 1;
    if (selection.kind === Kind.INLINE_FRAGMENT) return sum + rootFields(selection.selectionSet, context, seen);
    const name = selection.name.value;
    if (seen.has(name)) return sum;
    seen.add(name);
    return sum + rootFields(context.getFragment(name)?.selectionSet, context, seen);
  }, 0);
}
