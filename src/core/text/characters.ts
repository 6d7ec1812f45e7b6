/** True if a text has more than `limit` characters. Characters are Unicode code points: an emoji counts once. */
export const isLonger = (text: string, limit: number): boolean =>
  text.length > limit && countCharacters(text) > limit;

/** Counts the Unicode code points of a text. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

const maxShortenedLength = 500;

/** Shortens a client's text to 500 UTF-16 units, for messages. */
export const shorten = (text: string): string =>
  text.length > maxShortenedLength ? `${text.slice(0, maxShortenedLength)}…` : text;

const encoder = new TextEncoder();

const nonAsciiPattern = /[\u0080-\uffff]/;

export const countUtf8Bytes = (text: string): number =>
  nonAsciiPattern.test(text) ? encoder.encode(text).length : text.length;

/** PostgreSQL cannot store U+0000, and UTF-8 has no lone surrogates (RFC 8259, section 8.2). */
const unstorablePattern = /\u0000|\p{Surrogate}/u;

/** Whether a text can be stored and sent. */
export const isStorable = (text: string): boolean => !unstorablePattern.test(text);

export const unstorableMessage =
  'A string must be valid Unicode without the character U+0000 and without lone surrogates.';

const fnvOffsetBasis = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** Returns a checksum that detects changes of a text (FNV-1a, 32 bits, base 36). Not cryptographic. */
export function checksumOf(text: string): string {
  let hash = fnvOffsetBasis;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), fnvPrime);
  return (hash >>> 0).toString(36);
}

/** References that replace characters with a meaning in HTML. */
const entityByCharacter: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML, in content and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entityByCharacter[character] as string);
