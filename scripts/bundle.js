// Bundles each command with its dependencies and replaces its module in `dist` by the bundle, because a
// gateway starts in half the time if Node loads few files. The other modules stay as tsc wrote them, for the
// package's `exports` and for benches.
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

rmSync('dist/chunks', { recursive: true, force: true });
await build({
  entryPoints: ['bin', 'main', 'token', 'migrate', 'data'].map((name) => `src/${name}.ts`),
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // altair-static reads its own files. The other packages are optional.
  external: ['altair-static', 'google-auth-library', 'pg-native'],
  // CommonJS modules expect these names.
  banner: {
    js: `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url), { filename: __filename, dirname: __dirname } = import.meta;`,
  },
  logLevel: 'warning',
});
