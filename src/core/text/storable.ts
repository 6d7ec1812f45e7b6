/** U+0000 and lone surrogates cannot be stored everywhere, nor written as UTF-8 (RFC 8259, section 8.2). */
const unstorable = /\u0000|\p{Surrogate}/u;

export const isStorable = (text: string): boolean => !unstorable.test(text);

export const unstorableMessage =
  'A string must be valid Unicode without the character U+0000 and without lone surrogates.';
