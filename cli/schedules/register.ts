import { Option, type Command } from 'commander';
import { scheduleStates, scheduleVerbs, type ScheduleVerb } from '../../shared/domain/recurrence/schedule-states.ts';
import type { WrittenOptions } from '../action-types/read-fields.ts';
import type { FireOptions, ListOptions, OccurrenceOptions, PreviewOptions } from './commands.ts';
import type { Session } from '../frame/session.ts';
import { collect, wholeNumber } from '../frame/options.ts';

const verbs: Record<ScheduleVerb, string> = {
  pause: 'let one rest for a while, and the run that it started with it',
  resume: 'let one go on; what it left out is recorded as skipped',
  disable: 'switch one off; what waits is given up, and the run that it started is cancelled',
  enable: 'switch one on',
};

export function registerSchedules(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('schedules').description('what recurs; over the API');

  group
    .command('list')
    .description('newest first')
    .addOption(new Option('--state <state>', 'only those in this state').choices(scheduleStates))
    .option('--client <id>', 'only those of this client')
    .option('--limit <count>', 'so many at most', wholeNumber)
    .option('--cursor <cursor>', 'go on behind the page before')
    .action((options: ListOptions) =>
      session.run(json(), async (context) => {
        const { listSchedules } = await import('./commands.ts');
        return listSchedules(options, context);
      }),
    );

  group
    .command('show <id>')
    .description('all about one')
    .action((id: string) =>
      session.run(json(), async (context) => {
        const { showSchedule } = await import('./commands.ts');
        return showSchedule(id, context);
      }),
    );

  registerChanges(group, json, session);
  registerFires(group, json, session);
}

function registerChanges(group: Command, json: () => boolean, session: Session): void {
  group
    .command('create [field=value...]')
    .description('make one: name=nightly cron="0 2 * * *" zone=Asia/Singapore target.client=shop target.url=https://…')
    .option('-f, --file <path>', 'its fields as JSON; - reads standard input')
    .action((fields: string[], options: WrittenOptions) =>
      session.run(json(), async (context) => {
        const { createSchedule } = await import('./commands.ts');
        return createSchedule(fields, options, context);
      }),
    );

  group
    .command('set <id> [field=value...]')
    .description('change fields of one; what is due by then still fires. null takes a field back')
    .option('-f, --file <path>', 'the fields as JSON; - reads standard input')
    .action((id: string, fields: string[], options: WrittenOptions) =>
      session.run(json(), async (context) => {
        const { setSchedule } = await import('./commands.ts');
        return setSchedule(id, fields, options, context);
      }),
    );

  for (const verb of scheduleVerbs) {
    group
      .command(`${verb} <id>`)
      .description(verbs[verb])
      .option('--reason <text>', 'why, for those who ask later')
      .action((id: string, options: { reason?: string }) =>
        session.run(json(), async (context) => {
          const { controlSchedule } = await import('./commands.ts');
          return controlSchedule(verb, id, options, context);
        }),
      );
  }
}

function registerFires(group: Command, json: () => boolean, session: Session): void {
  const fire = (verb: 'run-now' | 'backfill') => (id: string, options: FireOptions) =>
    session.run(json(), async (context) => {
      const { fireSchedule } = await import('./commands.ts');
      return fireSchedule(verb, id, options, context);
    });

  group
    .command('run-now <id>')
    .description('fire one now, beside its rhythm')
    .option('--group <name>', 'for this group alone; may be given several times', collect)
    .action(fire('run-now'));

  group
    .command('backfill <id>')
    .description('fire now what did not fire in a time; nothing twice')
    .requiredOption('--from <time>', 'RFC 3339, such as 2026-12-01T00:00:00Z')
    .requiredOption('--until <time>', 'RFC 3339, inclusive')
    .option('--group <name>', 'for this group alone; may be given several times', collect)
    .action(fire('backfill'));

  group
    .command('preview [id-or-field=value...]')
    .description('when one fires next, or would: by its id, or cron="30 2 * * *" zone=Europe/Berlin')
    .option('--count <count>', 'so many fires', wholeNumber)
    .option('--after <time>', 'RFC 3339; now unless given')
    .option('-f, --file <path>', 'the fields as JSON; - reads standard input')
    .action((words: string[], options: PreviewOptions) =>
      session.run(json(), async (context) => {
        const { previewSchedule } = await import('./commands.ts');
        return previewSchedule(words, options, context);
      }),
    );

  group
    .command('occurrences <id>')
    .description('what fired, what waits and what was skipped, with the cause; newest first')
    .addOption(new Option('--state <state>', 'only those').choices(['fired', 'buffered', 'skipped']))
    .option('--group <name>', 'only of this group')
    .option('--limit <count>', 'so many at most', wholeNumber)
    .option('--cursor <cursor>', 'go on behind the page before')
    .action((id: string, options: OccurrenceOptions) =>
      session.run(json(), async (context) => {
        const { listOccurrences } = await import('./commands.ts');
        return listOccurrences(id, options, context);
      }),
    );
}

export function registerGroups(program: Command, session: Session): void {
  const json = () => program.opts<{ json?: true }>().json ?? false;
  const group = program.command('groups').description('the markets that schedules fire for; over the API');

  group
    .command('list')
    .description('all of them, by name')
    .action(() =>
      session.run(json(), async (context) => {
        const { listGroups } = await import('./group-commands.ts');
        return listGroups(context);
      }),
    );

  group
    .command('show <name>')
    .description('one of them')
    .action((name: string) =>
      session.run(json(), async (context) => {
        const { showGroup } = await import('./group-commands.ts');
        return showGroup(name, context);
      }),
    );

  group
    .command('put <name> [field=value...]')
    .description('make one, or say it anew: homeRegion=asia fallbackSeconds=60 tags=\'["rides"]\' countries=\'["SG"]\'')
    .option('-f, --file <path>', 'its fields as JSON; - reads standard input')
    .action((name: string, fields: string[], options: WrittenOptions) =>
      session.run(json(), async (context) => {
        const { putGroup } = await import('./group-commands.ts');
        return putGroup(name, fields, options, context);
      }),
    );

  group
    .command('delete <name>')
    .description('forget one; schedules go on without it')
    .action((name: string) =>
      session.run(json(), async (context) => {
        const { deleteGroup } = await import('./group-commands.ts');
        return deleteGroup(name, context);
      }),
    );
}
