import type { Command } from 'commander';
import type { Session } from '../frame/session.ts';

export function registerScheduler(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;

  program
    .command('scheduler')
    .description('who looks at due jobs and who calls them: regions, nodes, partitions, hosts, backlog, lag')
    .action(() =>
      session.run(json(), async (context) => {
        const { showScheduler } = await import('./commands.ts');
        return showScheduler(context);
      }),
    );

  const regions = program
    .command('regions')
    .description('where jobs are offered and claimed')
    .action(() =>
      session.run(json(), async (context) => {
        const { listRegions } = await import('./commands.ts');
        return listRegions(context);
      }),
    );

  const add = (verb: 'switch' | 'activate', description: string) =>
    regions
      .command(`${verb} <region>`)
      .description(description)
      .option('--reason <text>', 'for whoever reads it later')
      .action((region: string, options: { reason?: string }) =>
        session.run(json(), async (context) => {
          const { changeRegion } = await import('./commands.ts');
          return changeRegion(verb, region, options, context);
        }),
      );
  add('switch', 'make it the only one: from the answer on, claims of all others are refused');
  add('activate', 'let it take part again');

  program
    .command('enable-host <client> <host>')
    .description('bring back the jobs of a host that is left alone, without waiting for it to be tried')
    .action((client: string, host: string) =>
      session.run(json(), async (context) => {
        const { enableHost } = await import('./commands.ts');
        return enableHost(client, host, context);
      }),
    );
}
