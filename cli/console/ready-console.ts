import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { consoleFolder, ensureConsoleBuilt } from '../../services/console/built-console.ts';

/**
 * Builds the console at the first start of an installation without one.
 * @returns the reason if the console is still missing; undefined if it exists
 */
export async function readyConsole(): Promise<string | undefined> {
  if (existsSync(join(consoleFolder, 'index.html'))) return undefined;
  try {
    return (await ensureConsoleBuilt()) === 'missing' ? 'what builds it is not installed' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
