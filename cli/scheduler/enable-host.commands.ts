import { enableHost } from '../../sdk/generated/sdk.gen.ts';
import { command } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { text } from '../frame/options.ts';

export const heading: Heading = 'Callbacks';

export const commands = command({
  name: 'enable-host',
  args: ['<client>', '<host>'],
  description: 'release the jobs of a sidelined host, without waiting for a probe',
  options: { endpoint: text('--endpoint <name>', 'endpoint whose jobs wait for the host') },
  ask: ({ client, args: [owner, name], options }) =>
    enableHost({ client, body: { client: owner, host: name, ...options } }),
  render: (enabled) => `${enabled.host}: its jobs are brought back\n`,
});
