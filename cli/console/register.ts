import type { Command } from 'commander';
import type { Session } from '../frame/session.ts';

export function registerConsole(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('console').description('log-ins to the web console');

  group
    .command('link')
    .description('a link that opens the console, logged in with your key; it works once, for ten minutes')
    .action(() =>
      session.run(json(), async (context) => {
        const { showLink } = await import('./commands.ts');
        return showLink(context);
      }),
    );

  group
    .command('log-out')
    .description('end all sessions of your key, in every browser, and take its links back')
    .action(() =>
      session.run(json(), async (context) => {
        const { logOutEverywhere } = await import('./commands.ts');
        return logOutEverywhere(context);
      }),
    );
}
