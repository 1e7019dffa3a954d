import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { within } from '../frame/options.ts';

export const heading: Heading = 'Trying it out';

const ports = { least: 1, most: 65_535 };

export const commands = byHand({
  name: 'inbox',
  description: 'run a mail server that keeps all mails, with a page to read them, until Ctrl-C',
  options: {
    smtp: within('--smtp-port <n>', 'port of the mail server', { ...ports, usual: 2525 }),
    page: within('--port <n>', 'port of the page', { ...ports, usual: 8025 }),
  },
  run: async ({ options, context }) => (await import('./run-inbox.ts')).runInbox(options, context),
});
