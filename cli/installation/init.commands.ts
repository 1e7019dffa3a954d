import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { text, usually } from '../frame/options.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'init',
  args: ['[folder]'],
  description: 'write configuration and secrets of a new installation: .env and engine.json',
  options: {
    databaseUrl: text('--database-url <url>', 'existing database; by default that of compose'),
    kafkaBrokers: usually('--kafka-brokers <list>', 'existing Kafka brokers', { usual: '127.0.0.1:9092' }),
  },
  run: async ({ args: [folder = '.'], options: { databaseUrl, kafkaBrokers }, context }) =>
    (await import('./configuration/init.ts')).initInstallation(folder, { databaseUrl, kafkaBrokers }, context),
});
