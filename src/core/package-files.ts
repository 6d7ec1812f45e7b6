import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Finds the folder of the package from this module upwards: modules and bundles lie at different depths in it. */
function findPackage(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const parent = new URL('../', folder);
  if (parent.href === folder.href) throw new Error(`no folder above ${import.meta.url} has a package.json`);
  return findPackage(parent);
}

const packageFolder = findPackage(new URL('./', import.meta.url));

/** Returns the absolute path of a file or folder of the package, for example `schema/samples`. */
export const packagePath = (path: string): string => fileURLToPath(new URL(path, packageFolder));
