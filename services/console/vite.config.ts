import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Address of the API that `npm run console:dev` uses. */
const api = process.env['MUSTER_URL'] ?? 'http://127.0.0.1:8080';

/** Paths that the API answers; all others are pages of the console. */
const answeredByTheApi = ['/v1', '/openapi.json', '/docs', '/healthz', '/readyz', '/message-frame'];

export default defineConfig({
  root: import.meta.dirname,
  // A relative base, because the `<base>` element of the page determines the path under which the console is served.
  base: './',
  plugins: [react(), tailwindcss()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    manifest: 'manifest.json',
    // Keeps scripts out of the page, because a strict content security policy refuses them. Inlined assets would also
    // be sent again with every page.
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
