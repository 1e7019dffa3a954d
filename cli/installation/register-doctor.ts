import type { Command } from 'commander';
import type { Session } from '../frame/session.ts';

export function registerDoctor(program: Command, session: Session): void {
  program
    .command('doctor')
    .description('what is here, what is missing, and how to get it')
    .action(() =>
      session.run(program.opts<{ json?: true }>().json ?? false, async (context) => {
        const { runDoctor } = await import('./doctor.ts');
        return runDoctor(context);
      }),
    );
}
