import { defineConfig } from 'vite';

/** Builds separate files only, because the page's policy allows no inline scripts and styles. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/demo/',
  build: {
    outDir: '../../dist/demo',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // In kB.
    chunkSizeWarningLimit: 950,
  },
});
