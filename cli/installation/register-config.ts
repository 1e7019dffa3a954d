import type { Command } from 'commander';
import type { Session } from '../frame/session.ts';

export function registerConfig(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('config').description("the called services, as the installation's database has them");

  group
    .command('apply')
    .description('make what MUSTER_CONFIG says of the called services the installation’s own')
    .action(() =>
      session.run(json(), async (context) => {
        const { applyEngineConfig } = await import('./config.ts');
        return applyEngineConfig(context);
      }),
    );

  group
    .command('show')
    .description('the installation’s id, and which services it calls')
    .action(() =>
      session.run(json(), async (context) => {
        const { showInstallation } = await import('./config.ts');
        return showInstallation(context);
      }),
    );
}
