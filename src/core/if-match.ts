import { hash } from 'node:crypto';
import { type AppError, errorOf } from './errors.ts';

/**
 * Throws PRECONDITION_FAILED if no etag in `ifMatch` is the current one. Etags are separated by commas; `*` matches any
 * existing resource (RFC 9110, section 13.1.1). `noun` names the resource.
 */
export function requireMatch(ifMatch: string | null | undefined, readEtag: () => string, noun: string): void {
  if (ifMatch === null || ifMatch === undefined || ifMatch === '*') return;
  const etag = readEtag();
  if (!ifMatch.split(',').some((candidate) => candidate.trim() === etag))
    throw conditionNotMetError(ifMatch, etag, noun);
}

/**
 * Returns an If-Match header with the valid etags of `ifMatch`: empty if none is valid, undefined if any
 * resource matches.
 */
export function ifMatchHeaderOf(ifMatch: string | null | undefined): string | undefined {
  if (ifMatch === null || ifMatch === undefined || ifMatch === '*') return undefined;
  return ifMatch
    .split(',')
    .map((etag) => etag.trim())
    .filter((etag) => quotedEtagPattern.test(etag))
    .join(', ');
}

/** An etag with its quotes, weak or strong. */
const quotedEtagPattern = /^(W\/)?".*"$/;
const weakEtagPattern = /^\s*W\//;

/** Creates the error, with a message that fits the mistake in `ifMatch`. */
function conditionNotMetError(ifMatch: string, etag: string, noun: string): AppError {
  const message =
    `"${ifMatch}"` === etag
      ? 'The quotes belong to the etag: send ifMatch with them, just as the etag was read.'
      : ifMatch.split(',').some((candidate) => weakEtagPattern.test(candidate))
        ? 'A weak etag (W/"…") never matches: send the etag as it was read, without W/.'
        : quotedEtagPattern.test(ifMatch)
          ? `The ${noun} was changed after you read it. Read it again and repeat the change.`
          : 'ifMatch must be the etag as it was read, with its quotes, or *.';
  return errorOf(
    'PRECONDITION_FAILED',
    [{ path: ['ifMatch'], reason: 'conditionNotMet', message: `${message} The etag is ${etag} now.` }],
    { etag },
  );
}

/** Whether If-None-Match includes an etag. Compares weakly (RFC 9110, section 13.1.2). */
export function includesEtag(ifNoneMatch: string | readonly string[] | undefined, etag: string): boolean {
  const header = String(ifNoneMatch ?? '');
  const withoutPrefix = (tag: string): string => tag.replace(/^W\//, '');
  return (
    header.trim() === '*' ||
    (header.match(/(W\/)?"[^"]*"/g) ?? []).some((tag) => withoutPrefix(tag) === withoutPrefix(etag))
  );
}

/** Length of the digest in an entity tag: 96 bits. */
const digestCharacters = 16;

/** Creates an entity tag from the digest of a text that contains a revision, or that never changes. */
export const etagOfText = (text: string): string =>
  `"${hash('sha256', text, 'base64url').slice(0, digestCharacters)}"`;

/** Creates the entity tag of an access list entry. A missing entry has the role `none`. */
export const etagOfAccessEntry = ({
  email,
  role,
}: {
  readonly email: string;
  readonly role: string;
}): string => etagOfText(JSON.stringify([email, role]));
