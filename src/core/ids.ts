/**
 * Creates an id of 32 hexadecimal digits, which are also base32hex (RFC 4648, section 7). The replacement
 * also flattens the string: V8 keeps the result of `randomUUID` as a tree of 13 strings, which take 0.7 kB.
 */
export const newId = (): string => globalThis.crypto.randomUUID().replaceAll('-', '');

/**
 * Creates an opaque id for client caches: base64url of a JSON list. The kind makes ids unique across all
 * resources.
 */
export const nodeIdOf = (kind: string, ...ids: readonly unknown[]): string =>
  Buffer.from(JSON.stringify([kind, ...ids])).toString('base64url');

/** Decodes a nodeId; undefined for any other text. */
export function readNodeId(nodeId: string): readonly [kind: string, ...ids: unknown[]] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(nodeId, 'base64url').toString());
    return Array.isArray(parts) && typeof parts[0] === 'string' ? (parts as [string]) : undefined;
  } catch {
    return undefined;
  }
}
