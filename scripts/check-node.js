import { readFileSync } from 'fs';

// Stops an installation or a start on a version of Node.js outside `engines` of package.json, which would fail later
// without a reason. Runs on Node.js 14 and newer. A range is `^major.minor.patch` or `>=major`.
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const parseNumbers = (version) => (version.match(/\d+/g) || []).map(Number);
const [major, minor] = parseNumbers(process.versions.node);
const isInRange = (range) => {
  const [minMajor, minMinor = 0] = parseNumbers(range);
  return major === minMajor ? minor >= minMinor : range.startsWith('>=') && major > minMajor;
};
if (!engines.node.split(' || ').some(isInRange)) {
  console.error(`This needs Node.js ${engines.node}. The version here is ${process.version}.`);
  process.exit(1);
}
