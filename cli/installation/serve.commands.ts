import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag, text } from '../frame/options.ts';
import { servable } from './servable.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'serve',
  args: [{ name: '<service>', description: '', among: servable }],
  description: 'run a service until SIGTERM; all: api, scheduler, trigger, worker and dispatcher in one process',
  options: {
    sandbox: flag('--sandbox', 'with all: the services of deploy/examples/engine.json too, to try it out'),
    config: text('--config <file>', 'with connectors: their databases and segments, in place of CONNECTORS_CONFIG'),
  },
  run: async ({ args: [service], options: { sandbox = false, config }, context }) =>
    (await import('./serve.ts')).serve(service, { sandbox, config }, context),
});
