/**
 * `npm ci` builds the console once. Where what builds it is left out, such as in the image's own installation, nothing happens;
 * and what cannot be built now is built when the demo or the API starts, which says why it fails.
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
