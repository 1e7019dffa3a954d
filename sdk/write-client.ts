import { createHash } from 'node:crypto';
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { apiDocument } from '../services/api/api-document.ts';

export const clientFolder = join(import.meta.dirname, 'generated');

/**
 * Generates the client of the current API (`npm run sdk`), unless the existing client is from the same document and
 * generator. Returns whether it was written.
 */
export async function writeClient(): Promise<boolean> {
  const document = JSON.stringify(await apiDocument());
  const generator = await readFile(import.meta.filename);
  const digest = createHash('sha256').update(document).update(generator).digest('hex');
  if (digest === (await readFile(join(clientFolder, 'document.sha256'), 'utf8').catch(() => ''))) return false;
  const beside = `${clientFolder}.${process.pid}`;
  const input = `${beside}.json`;
  try {
    await writeFile(input, document);
    await createClient({
      input,
      // Node runs the TypeScript directly, so imports need the extension `.ts`.
      output: { path: beside, module: { extension: '.ts' }, entryFile: false },
      plugins: [
        '@hey-api/typescript',
        { name: '@hey-api/client-fetch', throwOnError: true },
        '@hey-api/sdk',
        { name: '@tanstack/react-query', queryKeys: true, infiniteQueryOptions: false },
      ],
      logs: { level: 'silent', file: false },
    });
    await excuseFromChecks(beside);
    await writeFile(join(beside, 'document.sha256'), digest);
    await rm(clientFolder, { recursive: true, force: true });
    await rename(beside, clientFolder);
    return true;
  } finally {
    await rm(input, { force: true });
    await rm(beside, { recursive: true, force: true });
  }
}

/** Excludes generated code from type checks, as it violates our strictest rules; its types are still used. */
async function excuseFromChecks(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  await Promise.all(
    files.map(async (file) => {
      const path = join(folder, file);
      await writeFile(path, `// @ts-nocheck\n${await readFile(path, 'utf8')}`);
    }),
  );
}

if (import.meta.main) await writeClient();
