import { rename, rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { checkBudget } from './check-budget.ts';
import { writeClient } from '../../sdk/write-client.ts';
import { consoleFolder, writeMark } from './built-console.ts';

/**
 * `npm run console:build`: the client of the API, then what browsers load. With `--client`, the client alone.
 * It is built beside what is there and put in its place as a whole, so that a page is never served in halves.
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
