import { byHand, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';

export const heading: Heading = 'Installation';

export const commands = group(
  'config',
  "the configuration, and the called services as the installation's database has them",
  [
    byHand({
      name: 'check',
      args: ['[service...]'],
      description: 'read the configuration as the services would, and say all that is wrong with it at once',
      run: async ({ args: [services], context }) => (await import('./doctor.ts')).runConfigCheck(services, context),
    }),
    byHand({
      name: 'apply',
      description: 'make what MUSTER_CONFIG says of the called services the installation’s own',
      run: async ({ context }) => (await import('./config.ts')).applyEngineConfig(context),
    }),
    byHand({
      name: 'show',
      description: 'the installation’s id, and which services it calls',
      run: async ({ context }) => (await import('./config.ts')).showInstallation(context),
    }),
  ],
);
