/**
 * Builds the console once, after `npm ci`. Does nothing if the build tools are not installed, as in the image. If the
 * build fails, the demo or the API builds the console at its start, and reports why it fails.
 */
const [major, minor] = process.versions.node.split('.').map(Number);
const runsTypeScript = major > 22 || (major === 22 && minor >= 18);

if (runsTypeScript && isInstalled('vite') && isInstalled('@hey-api/openapi-ts')) {
  try {
    await import('./build.ts');
  } catch (error) {
    console.warn(`the console was not built: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function isInstalled(name) {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
