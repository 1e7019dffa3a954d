import { rename, rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { checkBudget } from './check-budget.ts';
import { writeClient } from '../../sdk/write-client.ts';
import { consoleFolder, writeMark } from './built-console.ts';

/**
 * Implements `npm run console:build`. Builds the client of the API, then the files that browsers load; with `--client`,
 * only the client. The files are built in a separate folder, which then replaces the previous build, so that no
 * half-written page is served.
 */
const { values } = parseArgs({ options: { client: { type: 'boolean', default: false } } });

await writeClient();
if (!values.client) await buildPages();

async function buildPages(): Promise<void> {
  const beside = `${consoleFolder}.${process.pid}`;
  try {
    await build({
      configFile: `${import.meta.dirname}/vite.config.ts`,
      logLevel: 'warn',
      build: { outDir: beside },
    });
    const { bytes, limit } = await checkBudget(beside);
    process.stdout.write(`console built: ${kib(bytes)} of ${kib(limit)} KiB to begin with, compressed\n`);
    await writeMark(beside);
    await rm(consoleFolder, { recursive: true, force: true });
    await rename(beside, consoleFolder);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

function kib(bytes: number): string {
  return (bytes / 1024).toFixed(0);
}
