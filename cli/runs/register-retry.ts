import type { Command } from 'commander';
import type { RetryOptions } from './retry-failed.ts';
import type { Session } from '../frame/session.ts';
import { collect, wholeNumber } from '../frame/options.ts';

/** @param named what the command takes, such as `run|campaign` */
export function addRetryFailed(group: Command, named: string, program: Command, session: Session): void {
  group
    .command(`retry-failed <${named}>`)
    .description('try the failed users of a run that has ended again, in a run of their own; asks a person first')
    .option('--reason <reason>', 'only who failed for it; repeatable', collect)
    .option('--step <n>', 'only who failed in it; repeatable', collectNumbers)
    .option('--action <type>', 'the same by action type; repeatable', collect)
    .option('--country <code>', 'only of this country; repeatable', collect)
    .option('--deadline-seconds <n>', "from now; the campaign's own when absent", wholeNumber)
    .option('--preview', 'only count them, by step, country and reason')
    .option('-y, --yes', 'do not ask')
    .action((id: string, options: RetryOptions) =>
      session.run(program.opts<{ json?: true }>().json ?? false, async (context) => {
        const { retryFailed } = await import('./retry-failed.ts');
        return retryFailed(id, options, context);
      }),
    );
}

function collectNumbers(value: string, earlier: number[] | undefined): number[] {
  return [...(earlier ?? []), wholeNumber(value)];
}
