import type { Command } from 'commander';
import type { Session } from '../frame/session.ts';

/** The one-shot commands that prepare Postgres and Kafka. */
export function registerInstallation(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;

  program
    .command('migrate')
    .description('bring the database to the newest schema')
    .action(() =>
      session.run(json(), async (context) => {
        const { migrateDatabase } = await import('./migrate.ts');
        return migrateDatabase(context);
      }),
    );

  program
    .command('topics')
    .description('create the topics that the configuration asks for, and add partitions where there are fewer')
    .action(() =>
      session.run(json(), async (context) => {
        const { ensureTopics } = await import('./topics.ts');
        return ensureTopics(context);
      }),
    );
}
