import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format } from 'prettier';
import { apiPage } from './api-page.ts';
import { commandsPage } from './commands-page.ts';
import { configurationPage } from './configuration-page.ts';
import { metricsPage } from './metrics-page.ts';

export const referenceFolder = path.join(import.meta.dirname, '../../docs/reference');

/** Returns the pages of docs/reference by name. The result depends only on the code. */
export async function referencePages(): Promise<Record<string, string>> {
  return {
    'configuration.md': await formatted(configurationPage()),
    'cli.md': await formatted(await commandsPage()),
    'api.md': await formatted(await apiPage()),
    'metrics.md': await formatted(metricsPage()),
  };
}

const written = '<!-- Written from the code by `npm run docs`: change the words there. -->';

/** Formats a page as `npm run format` does. */
function formatted(page: string): Promise<string> {
  const options = { parser: 'markdown', printWidth: 100, proseWrap: 'always', singleQuote: true } as const;
  return format(`${written}\n\n${page}`, options);
}

/** Runs as `npm run docs`. */
if (import.meta.main) {
  await mkdir(referenceFolder, { recursive: true });
  for (const [name, page] of Object.entries(await referencePages())) {
    await writeFile(path.join(referenceFolder, name), page);
  }
  // Registering routes has opened stores that are never closed, so the process must exit explicitly.
  process.exit();
}
