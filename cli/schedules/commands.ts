import { z } from 'zod';
import {
  backfillSchedule,
  changeSchedule,
  createSchedule,
  deleteSchedule,
  disableSchedule,
  enableSchedule,
  getSchedule,
  listOccurrences,
  listSchedules,
  pauseSchedule,
  previewRecurrence,
  previewSchedule,
  resumeSchedule,
  runScheduleNow,
} from '../../sdk/generated/sdk.gen.ts';
import type {
  FiredOccurrences,
  NewScheduleInput,
  PreviewRequestInput,
  Schedule,
  SchedulePatchInput,
} from '../../sdk/generated/types.gen.ts';
import { scheduleStates } from '../../shared/domain/recurrence/schedule-states.ts';
import { command, group } from '../frame/command-table.ts';
import { changesFile, fieldsFile, readFields } from '../frame/given.ts';
import type { Heading } from '../frame/headings.ts';
import { needed, oneOf, several, text, whole } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { tableOf } from '../show/tables.ts';
import { occurrenceTable, renderPreview, renderSchedule, scheduleColumns } from './render.ts';

const pages = {
  limit: whole('--limit <count>', 'so many at most'),
  cursor: text('--cursor <cursor>', 'go on behind the page before'),
};
const groups = { groups: several('--group <name>', 'for this group alone; may be given several times') };

const idOf = ({ id }: Schedule) => `${id}\n`;
const become =
  (said: string) =>
  ({ name, nextAt }: Schedule) =>
    `${name} is ${said}${nextAt === null ? '' : `; next ${nextAt}`}`;

const list = command({
  name: 'list',
  said: 'newest first',
  options: {
    state: oneOf('--state <state>', 'only those in this state', scheduleStates),
    clientId: text('--client <id>', 'only those of this client'),
    ...pages,
  },
  ask: ({ client, options: query }) => listSchedules({ client, query }),
  shown: tableOf('', scheduleColumns),
});

const show = command({
  name: 'show',
  args: ['<id>'],
  said: 'all about one',
  ask: ({ client, args: [id] }) => getSchedule({ client, path: { id } }),
  shown: renderSchedule,
});

const create = command({
  name: 'create',
  args: ['[field=value...]'],
  said: 'make one: name=nightly cron="0 2 * * *" zone=Asia/Singapore target.client=shop target.url=https://…',
  options: fieldsFile,
  ask: async ({ client, args: [words], options: { file }, context: { input } }) =>
    createSchedule({ client, body: await readFields({ words, file, input }, z.custom<NewScheduleInput>()) }),
  refused: 'not created',
  shown: idOf,
  noted: become('created'),
});

const set = command({
  name: 'set',
  args: ['<id>', '[field=value...]'],
  said: 'change fields of one; what is due by then still fires. null takes a field back',
  options: changesFile,
  ask: async ({ client, args: [id, words], options: { file }, context: { input } }) => {
    const body = await readFields({ words, file, input }, z.custom<SchedulePatchInput>());
    return changeSchedule({ client, path: { id }, body });
  },
  refused: 'not changed',
  shown: idOf,
  noted: become('changed'),
});

const verbs = [
  {
    verb: 'pause',
    past: 'paused',
    ask: pauseSchedule,
    said: 'let one rest for a while, and the run that it started with it',
  },
  {
    verb: 'resume',
    past: 'resumed',
    ask: resumeSchedule,
    said: 'let one go on; what it left out is recorded as skipped',
  },
  {
    verb: 'disable',
    past: 'disabled',
    ask: disableSchedule,
    said: 'switch one off; what waits is given up, and the run that it started is cancelled',
  },
  { verb: 'enable', past: 'enabled', ask: enableSchedule, said: 'switch one on' },
].map(({ verb, past, ask, said }) =>
  command({
    name: verb,
    args: ['<id>'],
    said,
    options: { reason: text('--reason <text>', 'why, for those who ask later') },
    ask: ({ client, args: [id], options: body }) => ask({ client, path: { id }, body }),
    refused: `not ${past}`,
    shown: idOf,
    noted: become(past),
  }),
);

const remove = command({
  name: 'delete',
  args: ['<id>'],
  said: 'delete one, and what it fired is not listed any more; jobs that it made go on',
  ask: ({ client, args: [id] }) => deleteSchedule({ client, path: { id } }),
  refused: 'not deleted',
  noted: (_, { args: [id] }) => `${id} is deleted`,
});

const fires = {
  refused: 'not fired',
  noted: ({ fired, alreadyFired }: FiredOccurrences) =>
    `${fired.length} fired${alreadyFired === 0 ? '' : `; ${alreadyFired} had fired before`}`,
};

const runNow = command({
  name: 'run-now',
  args: ['<id>'],
  said: 'fire one now, beside its rhythm',
  options: groups,
  ask: ({ client, args: [id], options: body }) => runScheduleNow({ client, path: { id }, body }),
  shown: ({ fired }, view) => occurrenceTable({ items: fired }, view),
  ...fires,
});

const backfill = command({
  name: 'backfill',
  args: ['<id>'],
  said: 'fire now what did not fire in a time; nothing twice',
  options: {
    from: needed('--from <time>', 'RFC 3339, such as 2026-12-01T00:00:00Z'),
    until: needed('--until <time>', 'RFC 3339, inclusive'),
    ...groups,
  },
  ask: ({ client, args: [id], options: body }) => backfillSchedule({ client, path: { id }, body }),
  shown: ({ fired }, view) => occurrenceTable({ items: fired }, view),
  ...fires,
});

const preview = command({
  name: 'preview',
  args: ['[id-or-field=value...]'],
  said: 'when one fires next, or would: by its id, or cron="30 2 * * *" zone=Europe/Berlin',
  options: {
    count: whole('--count <count>', 'so many fires'),
    after: text('--after <time>', 'RFC 3339, past too; now unless given'),
    before: text('--before <time>', 'none at or after it'),
    ...changesFile,
  },
  ask: async ({ client, args: [words], options: { file, ...query }, context: { input } }) => {
    const [id = ''] = words;
    if (!id.startsWith('sch_')) {
      const fields = await readFields({ words, file, input }, z.custom<PreviewRequestInput>());
      return previewRecurrence({ client, body: { ...fields, ...query } });
    }
    if (words.length > 1) throw new UsageError('give an id or fields, not both');
    return previewSchedule({ client, path: { id }, query });
  },
  refused: 'no preview',
  shown: renderPreview,
});

const occurrences = command({
  name: 'occurrences',
  args: ['<id>'],
  said: 'what fired, what waits and what was skipped, with the cause; newest first',
  options: {
    state: oneOf('--state <state>', 'only those', ['fired', 'buffered', 'skipped']),
    group: text('--group <name>', 'only of this group'),
    ...pages,
  },
  ask: ({ client, args: [id], options: query }) => listOccurrences({ client, path: { id }, query }),
  shown: occurrenceTable,
});

export const heading: Heading = 'Callbacks';

export const commands = group('schedules', 'what recurs; over the API', [
  ...[list, show, create, set, ...verbs, remove, runNow, backfill, preview, occurrences],
]);
