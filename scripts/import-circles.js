import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Relative imports and type imports; the group is the path. */
const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;

/** Maps the files of a folder to the files that they import, including type imports. */
function readImportGraph(folder) {
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
  return new Map(
    files.map((file) => [
      file,
      [...readFileSync(file, 'utf8').matchAll(importPattern)].map(([, path]) => resolve(dirname(file), path)),
    ]),
  );
}

/** Maps each file on a circle of imports to the shortest path from the file back to itself. */
export function findImportCircles(folder) {
  const importGraph = readImportGraph(folder);
  const findShortestCircle = (startFile) => {
    // Breadth-first: entries that are added during the loop are visited too, and shorter paths come first.
    const pathsByFile = new Map(
      (importGraph.get(startFile) ?? []).map((nextFile) => [nextFile, [startFile, nextFile]]),
    );
    for (const [file, path] of pathsByFile) {
      if (file === startFile) return path;
      for (const importedFile of importGraph.get(file) ?? [])
        if (!pathsByFile.has(importedFile)) pathsByFile.set(importedFile, [...path, importedFile]);
    }
    return undefined;
  };
  return new Map(
    [...importGraph.keys()].flatMap((file) => {
      const circle = findShortestCircle(file);
      return circle ? [[file, circle]] : [];
    }),
  );
}
