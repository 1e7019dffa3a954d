import type { Command } from 'commander';
import type { ChangeOptions, DueOptions, JobQuery, ScheduleOptions } from './commands.ts';
import type { Session } from '../frame/session.ts';
import { collect, wholeNumber } from '../frame/options.ts';

export function registerJobs(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('jobs').description('callbacks that are due once; over the API');
  registerScheduling(group, session, json);
  registerChanges(group, session, json);

  group
    .command('list')
    .description('what has not ended, by due time; what has, with --state and --client')
    .option('--client <client>', 'its name or its id')
    .option('--state <state>', 'pending, firing, sidelined, called, expired, cancelled or dead')
    .option('--tag <tag>', 'only with this tag')
    .option('--due-from <time>', 'inclusive')
    .option('--due-until <time>', 'exclusive')
    .option('--limit <n>', 'how many, up to 1000', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on behind an earlier list')
    .action((options: JobQuery) =>
      session.run(json(), async (context) => {
        const { listJobs } = await import('./commands.ts');
        return listJobs(options, context);
      }),
    );

  group
    .command('show <job>')
    .description('one of them with all its calls')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { showJob } = await import('./commands.ts');
        return showJob(id, context);
      }),
    );

  group
    .command('cancel <job...>')
    .description('take jobs back: cancelled, too-late or called')
    .action((ids: string[]) =>
      session.run(json(), async (context) => {
        const { cancelJobs } = await import('./commands.ts');
        return cancelJobs(ids, context);
      }),
    );

  group
    .command('reschedule <job>')
    .description('move a job to another time')
    .option('--at <time>', 'RFC 3339, such as 2026-12-01T09:00:00+08:00')
    .option('--in <seconds>', 'so long from now')
    .action((id: string, options: DueOptions) =>
      session.run(json(), async (context) => {
        const { rescheduleJob } = await import('./commands.ts');
        return rescheduleJob(id, options, context);
      }),
    );

  group
    .command('run-now <job>')
    .description('let a job be called at once')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { runJobNow } = await import('./commands.ts');
        return runJobNow(id, context);
      }),
    );
}

function registerChanges(group: Command, session: Session, json: () => boolean): void {
  const filtered = (name: string, description: string) =>
    group
      .command(`${name} <client>`)
      .description(description)
      .option('--state <state>', 'pending, unless it is sidelined')
      .option('--tag <tag>', 'only with this tag')
      .option('--due-from <time>', 'inclusive')
      .option('--due-until <time>', 'exclusive');

  filtered('cancel-all', 'take all jobs of a client back that fit; carried out by the servers').action(
    (client: string, options: ChangeOptions) =>
      session.run(json(), async (context) => {
        const { changeJobs } = await import('./commands.ts');
        return changeJobs('cancel', client, options, context);
      }),
  );
  filtered('reschedule-all', 'move all jobs of a client that fit; carried out by the servers')
    .option('--at <time>', 'RFC 3339, such as 2026-12-01T09:00:00+08:00')
    .option('--in <seconds>', 'so long from now')
    .action((client: string, options: ChangeOptions) =>
      session.run(json(), async (context) => {
        const { changeJobs } = await import('./commands.ts');
        return changeJobs('reschedule', client, options, context);
      }),
    );

  group
    .command('change <change>')
    .description('how far such a change is')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { showJobChange } = await import('./commands.ts');
        return showJobChange(id, context);
      }),
    );
}

function registerScheduling(group: Command, session: Session, json: () => boolean): void {
  group
    .command('schedule <client> <url>')
    .description('have a URL called once; now unless a time is given')
    .option('--at <time>', 'RFC 3339, such as 2026-12-01T09:00:00+08:00')
    .option('--in <seconds>', 'so long from now')
    .option('--method <method>', 'POST unless given')
    .option('--body <text>', 'sent as JSON where it is JSON, as text otherwise')
    .option('--key <key>', 'a repeat with the same key is the same job')
    .option('--tag <tag>', 'to find it by; may be repeated', collect)
    .option('--relevancy <seconds>', 'not called so long after its time, it expires', wholeNumber)
    .action((client: string, url: string, options: ScheduleOptions) =>
      session.run(json(), async (context) => {
        const { scheduleJob } = await import('./commands.ts');
        return scheduleJob(client, url, options, context);
      }),
    );

  group
    .command('send <file>')
    .description('schedule many: a job as JSON on each line; - reads standard input')
    .option('--client <client>', 'of those that name none')
    .action((file: string, options: { client?: string }) =>
      session.run(json(), async (context) => {
        const { sendJobs } = await import('./commands.ts');
        return sendJobs(file, options, context);
      }),
    );
}
