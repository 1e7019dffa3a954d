import { realpathSync } from 'node:fs';
import { ConfigurationError } from './environment.ts';

/** Runs a service's main: a configuration error is one line and exit code 2, anything else a stack and exit code 1. */
export async function main(run: () => Promise<void>): Promise<void> {
  try {
    await run();
    process.exit();
  } catch (error) {
    if (error instanceof ConfigurationError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(2);
    }
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  }
}

/** True when this module is the file that node was started with. */
export function isEntry(module: ImportMeta): boolean {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === module.filename;
}
