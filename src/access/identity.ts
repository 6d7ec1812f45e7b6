/**
 * The form in which two names are the same caller: ASCII letters in lower case, every other byte as it is. Look-alikes
 * (full-width letters, the Kelvin sign, invisible characters, quoted local parts) name somebody else.
 */
export const identityOf = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
