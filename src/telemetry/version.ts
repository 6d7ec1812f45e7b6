import { readFileSync } from 'node:fs';

/** The version of the gateway; the path is the same from `src` and `dist`. */
export const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };
