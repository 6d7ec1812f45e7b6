/** An opaque name of a thing, for the caches of clients: unique among all resources by the kind that it begins with. */
export const nodeIdOf = (kind: string, ...names: readonly unknown[]): string =>
  Buffer.from(JSON.stringify([kind, ...names])).toString('base64url');
