const unstorable = /\u0000|\p{Surrogate}/u;

/** An identifier to look something up by. One that no database can hold finds nothing, as the empty one does. */
export const lookupKey = (id: string): string => (unstorable.test(id) ? '' : id);
