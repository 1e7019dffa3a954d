import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Address of the API that `npm run console:dev` uses. */
const api = process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8080';

/** Paths that the API answers; all others are pages of the console. */
const answeredByTheApi = ['/v1', '/openapi.json', '/docs', '/healthz', '/readyz'];

export default defineConfig({
  root: import.meta.dirname,
  // Relative, because the page says by its <base> where it is served.
  base: './',
  plugins: [react(), tailwindcss()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    manifest: 'manifest.json',
    // A strict content security policy refuses scripts in the page, and what is inlined is sent again with every page.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(answeredByTheApi.map((path) => [path, { target: api, changeOrigin: false }])),
  },
});
