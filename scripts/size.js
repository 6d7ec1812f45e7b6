// Prints the lines and files of each folder, tracked by git and not generated: `node scripts/size.js [DEPTH]`. DEPTH: levels
// of folders, default 2.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

const maxDepth = Number(process.argv[2] ?? 2);
const sourcePattern = /\.(ts|tsx|js|mjs|cjs|graphql|css|html|py|sh)$/;
const generatedPattern = /(^|\/)(generated|gql|fixtures)\/|^schema\/released\.graphql$/;

const sizes = new Map();
const trackedFiles = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
for (const path of trackedFiles.split('\0')) {
  if (!sourcePattern.test(path) || generatedPattern.test(path) || !existsSync(path)) continue;
  const lines = readFileSync(path, 'utf8').split('\n').length - 1;
  const folders = path.split('/').slice(0, -1);
  for (let depth = 0; depth <= Math.min(folders.length, maxDepth); depth += 1) {
    const folder = `${folders.slice(0, depth).join('/')}/`;
    const folderSize = sizes.get(folder) ?? { lines: 0, files: 0 };
    sizes.set(folder, { lines: folderSize.lines + lines, files: folderSize.files + 1 });
  }
}
for (const [folder, { lines, files }] of [...sizes].sort(([folder], [otherFolder]) =>
  folder < otherFolder ? -1 : 1,
))
  console.log(`${String(lines).padStart(7)} lines ${String(files).padStart(5)} files  ${folder}`);
