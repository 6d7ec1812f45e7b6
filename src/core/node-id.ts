/** An opaque name of a thing, for the caches of clients: unique among all resources by the kind that it begins with. */
export const nodeIdOf = (kind: string, ...names: readonly unknown[]): string =>
  Buffer.from(JSON.stringify([kind, ...names])).toString('base64url');

/** The kind and the names in a nodeId; undefined for other text. */
export function readNodeId(nodeId: string): readonly [kind: string, ...names: unknown[]] | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(nodeId, 'base64url').toString());
    return Array.isArray(read) && typeof read[0] === 'string' ? (read as [string]) : undefined;
  } catch {
    return undefined;
  }
}
