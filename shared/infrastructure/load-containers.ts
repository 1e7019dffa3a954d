/** Loads the module for containers; undefined if its package is not installed, as in a production image. */
export async function loadContainers() {
  try {
    return await import('./containers.ts');
  } catch (error) {
    if (isMissingPackage(error)) return undefined;
    throw error;
  }
}

function isMissingPackage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

export const containersLeftOut = 'the package testcontainers is not installed: npm ci --include=dev';
