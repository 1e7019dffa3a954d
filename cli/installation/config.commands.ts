import { byHand, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';

export const heading: Heading = 'Installation';

export const commands = group('config', 'the configuration, and the called services that the database stores', [
  byHand({
    name: 'check',
    args: ['[service...]'],
    description: 'read the configuration as the services do, and report all errors at once',
    run: async ({ args: [services], context }) =>
      (await import('./doctor/doctor.ts')).runConfigCheck(services, context),
  }),
  byHand({
    name: 'apply',
    description: 'store the called services of MUSTER_CONFIG in the installation’s database',
    run: async ({ context }) => (await import('./configuration/config.ts')).applyEngineConfig(context),
  }),
  byHand({
    name: 'show',
    description: 'show the installation’s id and the called services',
    run: async ({ context }) => (await import('./configuration/config.ts')).showInstallation(context),
  }),
]);
