import type { Command } from 'commander';
import type { FailureOptions, ReceiptOptions } from './commands.ts';
import type { SettleOptions } from './settle.ts';
import type { SetOptions, VerbOptions } from './control.ts';
import type { ControlVerb } from '../../shared/domain/run/run-control.ts';
import type { Session } from '../frame/session.ts';
import { wholeNumber } from '../frame/options.ts';
import { addRetryFailed } from './register-retry.ts';

export function registerRun(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('run').description('runs while they go on, over the API');

  addControlVerbs(group, 'run|campaign', program, session);
  addRetryFailed(group, 'run|campaign', program, session);

  group
    .command('set <run|campaign>')
    .description('change deadline, priority or pace of a run while it goes on')
    .option('--deadline-seconds <n>', 'from the time that it was planned for', wholeNumber)
    .option('--deadline-at <time>', 'RFC 3339 with an offset')
    .option('--priority <priority>', 'low, normal or high')
    .option('--pace <n>', 'users per second at most; none: as fast as it goes')
    .option('--pause-at-failed <percent>', 'pauses itself above this share of failed users; none: never')
    .option('--pause-at-failed-min-users <n>', 'not judged before so many users have ended a step', wholeNumber)
    .action((id: string, options: SetOptions) =>
      session.run(json(), async (context) => {
        const { setRun } = await import('./control.ts');
        return setRun(id, options, context);
      }),
    );

  group
    .command('unknown <run|campaign>')
    .description('the users of whom nobody knows whether they were served')
    .option('--step <n>', 'only of this step', wholeNumber)
    .option('--country <code>', 'only of this country')
    .option('--limit <n>', 'how many in the table, up to 1000', wholeNumber, 100)
    .option('--csv', 'all of them as CSV, to be sent to whoever keeps the books of the called service')
    .option('--ndjson', 'all of them as lines of JSON')
    .action((id: string, options: FailureOptions) =>
      session.run(json(), async (context) => {
        const { listFailures } = await import('./commands.ts');
        return listFailures(id, { ...options, outcome: 'unknown' }, context);
      }),
    );

  group
    .command('receipts <run|campaign>')
    .description('whom the provider of an asynchronous action said something of: delivered or not')
    .option('--status <status>', 'delivered or undelivered')
    .option('--step <n>', 'only of this step', wholeNumber)
    .option('--country <code>', 'only of this country')
    .option('--limit <n>', 'how many in the table, up to 1000', wholeNumber, 100)
    .option('--csv', 'all of them as CSV; what a spreadsheet takes for a formula gets an apostrophe in front')
    .option('--raw', 'with --csv: every text as it is, for programs')
    .option('--excel', 'with --csv: with the byte order mark that Excel needs')
    .option('--ndjson', 'all of them as lines of JSON')
    .action((id: string, options: ReceiptOptions) =>
      session.run(json(), async (context) => {
        const { listReceipts } = await import('./commands.ts');
        return listReceipts(id, options, context);
      }),
    );

  group
    .command('settle <run|campaign>')
    .description('say how unknown outcomes ended, once the run has: by status, by file, or one user by hand')
    .option('--by-status', 'ask the status endpoints (class C), in the background')
    .option('--file <path>', 'CSV: userId,step,outcome[,code[,country]]; or .ndjson with the same fields')
    .option('--user <id>', 'by hand: this user')
    .option('--step <n>', 'by hand: in this step; by status: only of this step', wholeNumber)
    .option('--outcome <outcome>', 'by hand: succeeded or failed')
    .option('--code <code>', 'by hand: why it failed')
    .option('--country <code>', 'only of this country')
    .action((id: string, options: SettleOptions) =>
      session.run(json(), async (context) => {
        const { settleRun } = await import('./settle.ts');
        return settleRun(id, options, context);
      }),
    );

  group
    .command('settlements <run|campaign>')
    .description('who settled what, and how far it has come')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { listSettlements } = await import('./settle.ts');
        return listSettlements(id, context);
      }),
    );

  group
    .command('compare <run|campaign>')
    .description('beside the run before it: was it better than last time?')
    .option('--with <run>', 'beside this run of the same campaign')
    .action((id: string, options: { with?: string }) =>
      session.run(json(), async (context) => {
        const { compareRun } = await import('./commands.ts');
        return compareRun(id, options, context);
      }),
    );

  group
    .command('rates <run|campaign>')
    .description('how fast it has gone, from its start on')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { showRates } = await import('./commands.ts');
        return showRates(id, context);
      }),
    );

  group
    .command('events <run|campaign>')
    .description('what became of a run: who asked for what, and what Muster did by itself')
    .option('--limit <n>', 'how many, up to 1000', wholeNumber, 100)
    .action((id: string, options: { limit: number }) =>
      session.run(json(), async (context) => {
        const { listRunEvents } = await import('./control.ts');
        return listRunEvents(id, options, context);
      }),
    );
}

const verbs: Record<ControlVerb, string> = {
  pause: 'nothing new starts; what is under way is still recorded',
  resume: 'go on where it was paused',
  cancel: 'what has not started never will; asks first where a person can answer',
};

/** @param named what the command takes, such as `run|campaign` */
export function addControlVerbs(group: Command, named: string, program: Command, session: Session): void {
  const add = (verb: ControlVerb) => {
    const command = group
      .command(`${verb} <${named}>`)
      .description(verbs[verb])
      .option('--reason <text>', 'why, for its history');
    if (verb === 'cancel') command.option('-y, --yes', 'do not ask');
    command.action((id: string, options: VerbOptions) =>
      session.run(program.opts<{ json?: true }>().json ?? false, async (context) => {
        const { controlRun } = await import('./control.ts');
        return controlRun(verb, id, options, context);
      }),
    );
  };
  add('pause');
  add('resume');
  add('cancel');
}
