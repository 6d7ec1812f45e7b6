import type { Viewer } from '../../access/permissions.ts';

// The tokens of viewers are kept beside them: a viewer may be logged.
const tokens = new WeakMap<Viewer, string>();

/** Remembers the token that a viewer came with. */
export function rememberBearer(viewer: Viewer, token: string): Viewer {
  tokens.set(viewer, token);
  return viewer;
}

/** The token to call a service with, on behalf of a viewer. */
export function bearerOf(viewer: Viewer): string {
  const token = tokens.get(viewer);
  if (token === undefined) throw new Error('a viewer without a bearer token cannot be acted for');
  return token;
}
