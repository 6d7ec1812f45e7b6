import { hash } from 'node:crypto';
import { type AppError, errorOf } from './errors.ts';

/**
 * Throws PRECONDITION_FAILED when the caller has not seen a resource as it is. Several etags are separated by commas, and `*` fits
 * whatever exists (RFC 9110, section 13.1.1). `noun` names the resource.
 */
export function requireMatch(ifMatch: string | null | undefined, etagOf: () => string, noun: string): void {
  if (ifMatch === null || ifMatch === undefined || ifMatch === '*') return;
  const etag = etagOf();
  if (!ifMatch.split(',').some((one) => one.trim() === etag)) throw conditionNotMet(ifMatch, etag, noun);
}

/** The etags that a condition names, for a header: empty where nothing fits it, undefined where whatever exists does. */
export function etagsIn(ifMatch: string | null | undefined): string | undefined {
  if (ifMatch === null || ifMatch === undefined || ifMatch === '*') return undefined;
  return ifMatch
    .split(',')
    .map((one) => one.trim())
    .filter((one) => quoted.test(one))
    .join(', ');
}

const quoted = /^(W\/)?".*"$/;
const weak = /^\s*W\//;

function conditionNotMet(ifMatch: string, etag: string, noun: string): AppError {
  const message =
    `"${ifMatch}"` === etag
      ? 'The quotes belong to the etag: send ifMatch with them, just as the etag was read.'
      : ifMatch.split(',').some((one) => weak.test(one))
        ? 'A weak etag (W/"…") never matches: send the etag as it was read, without W/.'
        : quoted.test(ifMatch)
          ? `The ${noun} was changed since it was read. Read it again and repeat the change.`
          : 'ifMatch must be the etag as it was read, with its quotes, or *.';
  return errorOf(
    'PRECONDITION_FAILED',
    [{ path: ['ifMatch'], reason: 'conditionNotMet', message: `${message} The etag is ${etag} now.` }],
    { etag },
  );
}

/** The entity tag of a content that counts its changes, or never changes: a digest of its text, quoted. */
export const etagOfText = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, 16)}"`;

/** The entity tag of an entry of an access list; of one that is not there the role is `none`. */
export const entryEtag = ({ email, role }: { readonly email: string; readonly role: string }): string =>
  etagOfText(JSON.stringify([email, role]));
