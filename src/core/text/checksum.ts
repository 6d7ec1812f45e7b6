/** A short name for a text, to tell changes by (FNV-1a, 32 bits): no secret, and no proof against those who look for equal ones. */
export function checksumOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36);
}
