import { InvalidArgumentError, type Command } from 'commander';
import type { DeadJobQuery, ReplaySelection } from './dead-job-commands.ts';
import type { Session } from '../frame/session.ts';
import { wholeNumber } from '../frame/options.ts';

export function registerDeadJobs(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('dead-jobs').description('callbacks that were given up, over the API');

  group
    .command('list')
    .description('by client and cause; one by one with --jobs')
    .option('--jobs', 'one by one, the last first')
    .option('--client <client>', 'only of this client, by id or name')
    .option('--cause <cause>', 'only for this cause, as it is listed')
    .option('--limit <n>', 'how many, up to 1000', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on behind an earlier list')
    .action((options: DeadJobQuery) =>
      session.run(json(), async (context) => {
        const { listDeadJobs } = await import('./dead-job-commands.ts');
        return listDeadJobs(options, context);
      }),
    );

  group
    .command('show <job>')
    .description('one job whole, with its last answer')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { showDeadJob } = await import('./dead-job-commands.ts');
        return showDeadJob(id, context);
      }),
    );

  group
    .command('replay [job]')
    .description('call one, or all that fit, again, with all their attempts before them')
    .option('--client <client>', 'all of this client')
    .option('--cause <cause>', 'all for this cause')
    .option('--all', 'all there are')
    .option('--per-second <n>', 'so many a second; all at once unless given', positiveNumber)
    .option('--with-expired', 'also what has expired')
    .action((id: string | undefined, options: ReplaySelection) =>
      session.run(json(), async (context) => {
        const { replayDeadJobs } = await import('./dead-job-commands.ts');
        return replayDeadJobs(id, options, context);
      }),
    );
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('has to be a number above 0');
  return value;
}
