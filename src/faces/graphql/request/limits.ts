import {
  GraphQLError,
  Kind,
  Lexer,
  Source,
  TokenKind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The longest document in tokens: the time of the library's validation grows with its square. */
export const maxTokens = 5_000;
/** The deepest nesting of braces, brackets and parentheses: parser and validation recurse as deep. */
export const maxNesting = 40;
const maxOperations = 50;
/** The library follows each chain of fragments from each of its ends. */
const maxFragments = 100;
const maxRootFields = 100;
const maxFields = 5_000;
/** The library compares each pair of fields with the same response path, and each pair of fragments side by side. */
const maxPairs = 3_000;
/** The cost of comparing a pair, in characters. */
const charactersPerPair = 10;

const opening: readonly string[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L];
const closing: readonly string[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R];

/** Why a document is refused before it is parsed, as a message; undefined for no reason. */
export function textFault(document: string): string | undefined {
  const brackets = document.match(/[{[(]/g)?.length ?? 0;
  if (document.length <= maxTokens && brackets <= maxNesting) return undefined; // neither limit is in reach
  const lexer = new Lexer(new Source(document));
  let depth = 0;
  try {
    for (let tokens = 0; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
      if (tokens === maxTokens)
        return `A document may have ${maxTokens} tokens at most. Send long inputs in variables.`;
      const { kind } = lexer.token;
      if (opening.includes(kind)) depth += 1;
      else if (closing.includes(kind)) depth -= 1;
      if (depth > maxNesting) return `A document may be nested ${maxNesting} levels deep at most.`;
    }
  } catch {
    // A lexical error: the parser fails there too, and reports its location.
  }
  return undefined;
}

/**
 * The cost of validating a document, in characters. Refuses documents that would cost too much, in linear time: throws
 * GraphQLError at the node that exceeds a limit.
 */
export function checkingCost({ definitions, loc }: DocumentNode): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    else if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
  }
  if (operations.length > maxOperations)
    throw fault(`A document may hold ${maxOperations} operations at most.`, operations[maxOperations]);
  if (fragments.size > maxFragments)
    throw fault(
      `A document may hold ${maxFragments} fragments at most.`,
      [...fragments.values()][maxFragments],
    );
  const sizes = new FieldCounter(fragments);
  let fields = 0;
  for (const operation of operations) {
    if (rootFields(operation.selectionSet, fragments) > maxRootFields)
      throw fault(`An operation may have ${maxRootFields} root fields at most.`, operation);
    fields += sizes.of(operation.selectionSet);
    if (fields > maxFields)
      throw fault(
        `A document may ask for ${maxFields} fields at most; those of a fragment count wherever it is used.`,
        operation,
      );
  }
  // The library validates unused fragments as well, and each pair of their fields.
  for (const [name, node] of fragments)
    if (!sizes.has(name)) throw fault(`Fragment "${name.slice(0, 100)}" is never used.`, node);
  const pairs = new PairCounter(fragments);
  for (const operation of operations) pairs.add(operation.selectionSet);
  return (loc?.source.body.length ?? 0) + pairs.count * charactersPerPair;
}

const fault = (
  message: string,
  node: OperationDefinitionNode | FragmentDefinitionNode | undefined,
): GraphQLError => new GraphQLError(message, { nodes: node });

/** Counts fields, those of a fragment for each of its uses. Each fragment is walked once. */
class FieldCounter {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #sizes = new Map<string, number | 'open'>();

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#fragments = fragments;
  }

  has(name: string): boolean {
    return this.#sizes.has(name);
  }

  of(set: SelectionSetNode | undefined): number {
    let sum = 0;
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) sum += this.#ofFragment(selection.name.value);
      else sum += (selection.kind === Kind.FIELD ? 1 : 0) + this.of(selection.selectionSet);
    }
    return sum;
  }

  #ofFragment(name: string): number {
    const known = this.#sizes.get(name);
    const fragment = this.#fragments.get(name);
    if (known === 'open')
      throw fault(`Cannot spread fragment "${name.slice(0, 100)}" within itself.`, fragment);
    if (known !== undefined) return known;
    if (!fragment) throw fault(`Unknown fragment "${name.slice(0, 100)}".`, undefined);
    this.#sizes.set(name, 'open');
    const size = this.of(fragment.selectionSet);
    this.#sizes.set(name, size);
    return size;
  }
}

/** Counts root fields, those of a fragment once: its uses select the same fields. */
function rootFields(
  set: SelectionSetNode | undefined,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  seen = new Set<string>(),
): number {
  let sum = 0;
  for (const selection of set?.selections ?? []) {
    if (selection.kind === Kind.FIELD) sum += 1;
    else if (selection.kind === Kind.INLINE_FRAGMENT)
      sum += rootFields(selection.selectionSet, fragments, seen);
    else if (!seen.has(selection.name.value)) {
      seen.add(selection.name.value);
      sum += rootFields(fragments.get(selection.name.value)?.selectionSet, fragments, seen);
    }
  }
  return sum;
}

/** One field of an answer: how many fields of the document select it, and what they select below it. */
interface Asked {
  times: number;
  readonly below: Map<string, Asked>;
}

/** Counts the pairs of fields with the same response path, and of fragments side by side. */
class PairCounter {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  count = 0;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#fragments = fragments;
  }

  add(set: SelectionSetNode, asked: Asked['below'] = new Map()): void {
    let spreads = 0;
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const entry = asked.get(key) ?? { times: 0, below: new Map<string, Asked>() };
        asked.set(key, entry);
        this.#grow(entry.times, selection);
        entry.times += 1;
        if (selection.selectionSet) this.add(selection.selectionSet, entry.below);
      } else {
        const inner =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
        if (selection.kind === Kind.FRAGMENT_SPREAD) this.#grow(spreads++, selection);
        if (inner) this.add(inner.selectionSet, asked);
      }
    }
  }

  #grow(pairs: number, node: SelectionNode): void {
    this.count += pairs;
    if (this.count <= maxPairs) return;
    throw new GraphQLError(
      'This document asks too often for the same field at one place of the answer, or uses too many fragments side by side.',
      { nodes: node },
    );
  }
}
