import { transformSync } from '@swc/wasm-typescript';

/**
 * The JavaScript of a TypeScript file: its types become blanks, so that every place in it stays where it is. As a
 * transform of jest it serves source files that no test loads, in a run with coverage, and mutation tests.
 */
export function process(source, path) {
  return { code: transformSync(source, { filename: path, mode: 'strip-only' }).code };
}
