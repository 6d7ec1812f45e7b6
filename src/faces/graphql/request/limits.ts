import { Lexer, Source, TokenKind } from 'graphql';

/** The longest document in tokens: the time of the library's validation grows with its square. */
export const maxTokens = 5_000;
/** The deepest nesting of braces, brackets and parentheses: parser and validation recurse as deep. */
export const maxNesting = 40;

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
