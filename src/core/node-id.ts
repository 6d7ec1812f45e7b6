/** Creates an opaque id for client caches. The kind makes ids unique across all resources. */
export const nodeIdOf = (kind: string, ...ids: readonly unknown[]): string =>
  Buffer.from(JSON.stringify([kind, ...ids])).toString('base64url');

/** Decodes a nodeId; undefined for any other text. */
export function readNodeId(nodeId: string): readonly [kind: string, ...ids: unknown[]] | undefined {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(nodeId, 'base64url').toString());
    return Array.isArray(decoded) && typeof decoded[0] === 'string' ? (decoded as [string]) : undefined;
  } catch {
    return undefined;
  }
}
