import { defineConfig } from 'vite';

/** Everything in files of its own, so that the page runs under a policy without inline scripts and styles. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/demo/',
  build: {
    outDir: '../../dist/demo',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
});
