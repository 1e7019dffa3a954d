import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag } from '../frame/options.ts';
import { servable } from './servable.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'serve',
  args: [{ name: '<service>', description: '', among: servable }],
  description: 'run a service until SIGTERM; all: api, scheduler, trigger, worker and dispatcher in one process',
  options: { sandbox: flag('--sandbox', 'with all: the services of deploy/examples/engine.json too, to try it out') },
  run: async ({ args: [service], options: { sandbox = false }, context }) =>
    (await import('./serve.ts')).serve(service, { sandbox }, context),
});
