import { transformSync } from '@swc/wasm-typescript';

/**
 * Strips the types of a TypeScript file, replaced by blanks so that positions stay the same. Also a Jest transform, for
 * files that no test loads in a run with coverage, and for mutation tests. Jest requires this name.
 */
export function process(source, path) {
  return { code: transformSync(source, { filename: path, mode: 'strip-only' }).code };
}
