import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { text, usually } from '../frame/options.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'init',
  args: ['[folder]'],
  description: 'write the configuration and the secrets of an installation of one’s own: .env and engine.json',
  options: {
    databaseUrl: text('--database-url <url>', 'of a database that is there; that of compose unless given'),
    kafkaBrokers: usually('--kafka-brokers <list>', 'of a Kafka that is there', { usual: '127.0.0.1:9092' }),
  },
  run: async ({ args: [folder = '.'], options: { databaseUrl, kafkaBrokers }, context }) =>
    (await import('./init.ts')).initInstallation(folder, { databaseUrl, kafkaBrokers }, context),
});
