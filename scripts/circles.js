import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const specifiers = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;

/** The files of a folder, each with the files that it imports, types included. */
function graphOf(folder) {
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

/** For each file on a circle of imports the shortest way from it back to it. */
export function circlesOf(folder) {
  const graph = graphOf(folder);
  const wayBack = (start) => {
    const ways = new Map((graph.get(start) ?? []).map((next) => [next, [start, next]]));
    for (const [file, way] of ways) {
      if (file === start) return way;
      for (const next of graph.get(file) ?? []) if (!ways.has(next)) ways.set(next, [...way, next]);
    }
    return undefined;
  };
  return new Map(
    [...graph.keys()].flatMap((file) => {
      const way = wayBack(file);
      return way ? [[file, way]] : [];
    }),
  );
}
