import { InvalidArgumentError, type Command } from 'commander';
import type { DemoOptions } from './demo.ts';
import type { Session } from '../frame/session.ts';

export function registerDemo(program: Command, session: Session): void {
  program
    .command('demo')
    .description('start everything, run a campaign and show it, then keep serving')
    .option('--users <n>', 'size of the segment', between(1, 100_000_000), 125_000)
    .option('--workers <n>', 'worker processes', between(1, 64), 2)
    .option('--chaos', 'kill workers while the campaign runs', false)
    .option('--exit', 'end after the report', false)
    .action((options: DemoOptions) =>
      session.run(program.opts<{ json?: true }>().json ?? false, async (context) => {
        const { runDemo } = await import('./demo.ts');
        return runDemo(options, context);
      }),
    );
}

function between(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It has to be a whole number from ${least} to ${most}.`);
  };
}
