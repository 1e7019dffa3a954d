import type { Command } from 'commander';
import type { Session } from '../frame/session.ts';

export function registerExplain(program: Command, session: Session): void {
  program
    .command('explain <campaign|run> <user>')
    .description('why a user did or did not get what: every call, and how each step ended')
    .action((id: string, user: string) =>
      session.run(program.opts<{ json?: true }>().json ?? false, async (context) => {
        const { explainUser } = await import('./explain-user.ts');
        return explainUser(id, user, context);
      }),
    );
}
