import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag, text } from '../frame/options.ts';
import { servable } from './serve/servable.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'serve',
  args: [{ name: '<service>', description: '', among: servable }],
  description: 'run a service until SIGTERM; `all` runs api, scheduler, trigger, worker and dispatcher in one process',
  options: {
    sandbox: flag('--sandbox', 'with all: also run the called services of deploy/examples/engine.json'),
    config: text('--config <file>', "with connectors: the connectors' file, instead of CONNECTORS_CONFIG"),
  },
  run: async ({ args: [service], options: { sandbox = false, config }, context }) =>
    (await import('./serve/serve.ts')).serve(service, { sandbox, config }, context),
});
