import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of the package. It contains the modules of `src` and `dist` and the bundles of `dist/chunks` at different depths. */
let packageFolder = new URL('./', import.meta.url);
while (!existsSync(new URL('package.json', packageFolder))) packageFolder = new URL('../', packageFolder);

/** Returns the absolute path of a file or folder of the package: `schema/samples`. */
export const packagePath = (path: string): string => fileURLToPath(new URL(path, packageFolder));
