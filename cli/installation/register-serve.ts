import { Argument, type Command } from 'commander';
import type { ServeOptions } from './serve.ts';
import { servable, type Servable } from './servable.ts';
import type { Session } from '../frame/session.ts';

export function registerServe(program: Command, session: Session): void {
  program
    .command('serve')
    .description('run a service until SIGTERM; all: api, scheduler, trigger, worker and dispatcher in one process')
    .addArgument(new Argument('<service>').choices(servable))
    .option('--sandbox', 'with all: the services of deploy/examples/engine.json too, to try it out', false)
    .action((service: Servable, options: ServeOptions) =>
      session.run(program.opts<{ json?: true }>().json ?? false, async (context) => {
        const { serve } = await import('./serve.ts');
        return serve(service, options, context);
      }),
    );
}
