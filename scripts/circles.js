import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const specifiers = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;

/** Maps the files of a folder to the files that they import, including type imports. */
function readImportGraph(folder) {
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
  return new Map(
    files.map((file) => [
      file,
      [...readFileSync(file, 'utf8').matchAll(specifiers)].map(([, path]) => resolve(dirname(file), path)),
    ]),
  );
}

/** Finds, for each file on a circle of imports, the shortest path back to the file. */
export function circlesOf(folder) {
  const graph = readImportGraph(folder);
  const shortestCircle = (start) => {
    const paths = new Map((graph.get(start) ?? []).map((next) => [next, [start, next]]));
    for (const [file, path] of paths) {
      if (file === start) return path;
      for (const next of graph.get(file) ?? []) if (!paths.has(next)) paths.set(next, [...path, next]);
    }
    return undefined;
  };
  return new Map(
    [...graph.keys()].flatMap((file) => {
      const circle = shortestCircle(file);
      return circle ? [[file, circle]] : [];
    }),
  );
}
