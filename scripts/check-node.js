// Stops an installation or a start on a version of Node.js that is too old, which would fail later without a reason.
const [major, minor] = process.versions.node.split('.').map(Number);
if (!(major >= 24 || (major === 22 && minor >= 13) || (major === 20 && minor >= 19))) {
  console.error(`This needs Node.js 20.19, 22.13, or 24 and newer. The version here is ${process.version}.`);
  process.exit(1);
}
