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
  limit: whole('--limit <count>', 'maximum number of items'),
  cursor: text('--cursor <cursor>', 'cursor of the next page, as an earlier list printed it'),
};
const groups = { groups: several('--group <name>', 'only for this group; repeatable') };

const idOf = ({ id }: Schedule) => `${id}\n`;
const become =
  (state: string) =>
  ({ name, nextAt }: Schedule) =>
    `${name} is ${state}${nextAt === null ? '' : `; next ${nextAt}`}`;

const list = command({
  name: 'list',
  description: 'newest first',
  options: {
    state: oneOf('--state <state>', 'only schedules in this state', scheduleStates),
    clientId: text('--client <id>', 'only schedules of this client'),
    ...pages,
  },
  ask: ({ client, options: query }) => listSchedules({ client, query }),
  render: tableOf('', scheduleColumns),
});

const show = command({
  name: 'show',
  args: ['<id>'],
  description: 'show a schedule',
  ask: ({ client, args: [id] }) => getSchedule({ client, path: { id } }),
  render: renderSchedule,
});

const create = command({
  name: 'create',
  args: ['[field=value...]'],
  description:
    'create a schedule: name=nightly cron="0 2 * * *" zone=Asia/Singapore target.client=shop target.url=https://…',
  options: fieldsFile,
  ask: async ({ client, args: [words], options: { file }, context: { input } }) =>
    createSchedule({ client, body: await readFields({ words, file, input }, z.custom<NewScheduleInput>()) }),
  refused: 'not created',
  render: idOf,
  hint: become('created'),
});

const set = command({
  name: 'set',
  args: ['<id>', '[field=value...]'],
  description:
    'change fields of a schedule; occurrences that are already due still fire. null restores the default of a field',
  options: changesFile,
  ask: async ({ client, args: [id, words], options: { file }, context: { input } }) => {
    const body = await readFields({ words, file, input }, z.custom<SchedulePatchInput>());
    return changeSchedule({ client, path: { id }, body });
  },
  refused: 'not changed',
  render: idOf,
  hint: become('changed'),
});

const verbs = [
  {
    verb: 'pause',
    past: 'paused',
    ask: pauseSchedule,
    description: 'pause a schedule, and the run that it started',
  },
  {
    verb: 'resume',
    past: 'resumed',
    ask: resumeSchedule,
    description: 'resume a schedule; occurrences during the pause are recorded as skipped',
  },
  {
    verb: 'disable',
    past: 'disabled',
    ask: disableSchedule,
    description: 'disable a schedule; waiting occurrences are dropped, and the run that it started is cancelled',
  },
  { verb: 'enable', past: 'enabled', ask: enableSchedule, description: 'enable a schedule' },
].map(({ verb, past, ask, description }) =>
  command({
    name: verb,
    args: ['<id>'],
    description,
    options: { reason: text('--reason <text>', 'reason, for people') },
    ask: ({ client, args: [id], options: body }) => ask({ client, path: { id }, body }),
    refused: `not ${past}`,
    render: idOf,
    hint: become(past),
  }),
);

const remove = command({
  name: 'delete',
  args: ['<id>'],
  description: 'delete a schedule with its list of occurrences; jobs that it created continue',
  ask: ({ client, args: [id] }) => deleteSchedule({ client, path: { id } }),
  refused: 'not deleted',
  hint: (_, { args: [id] }) => `${id} is deleted`,
});

const fires = {
  refused: 'not fired',
  hint: ({ fired, alreadyFired }: FiredOccurrences) =>
    `${fired.length} fired${alreadyFired === 0 ? '' : `; ${alreadyFired} had fired before`}`,
};

const runNow = command({
  name: 'run-now',
  args: ['<id>'],
  description: 'fire a schedule now, in addition to its times',
  options: groups,
  ask: ({ client, args: [id], options: body }) => runScheduleNow({ client, path: { id }, body }),
  render: ({ fired }, view) => occurrenceTable({ items: fired }, view),
  ...fires,
});

const backfill = command({
  name: 'backfill',
  args: ['<id>'],
  description: 'fire the missed occurrences of a time span now; no occurrence fires twice',
  options: {
    from: needed('--from <time>', 'RFC 3339, such as 2026-12-01T00:00:00Z'),
    until: needed('--until <time>', 'RFC 3339, inclusive'),
    ...groups,
  },
  ask: ({ client, args: [id], options: body }) => backfillSchedule({ client, path: { id }, body }),
  render: ({ fired }, view) => occurrenceTable({ items: fired }, view),
  ...fires,
});

const preview = command({
  name: 'preview',
  args: ['[id-or-field=value...]'],
  description: 'preview the next times of a schedule: by its id, or cron="30 2 * * *" zone=Europe/Berlin',
  options: {
    count: whole('--count <count>', 'number of times'),
    after: text('--after <time>', 'RFC 3339, also in the past; by default now'),
    before: text('--before <time>', 'only times before this one'),
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
  render: renderPreview,
});

const occurrences = command({
  name: 'occurrences',
  args: ['<id>'],
  description: 'list fired, waiting and skipped occurrences with the cause, newest first',
  options: {
    state: oneOf('--state <state>', 'only those', ['fired', 'buffered', 'skipped']),
    group: text('--group <name>', 'only for this group'),
    ...pages,
  },
  ask: ({ client, args: [id], options: query }) => listOccurrences({ client, path: { id }, query }),
  render: occurrenceTable,
});

export const heading: Heading = 'Callbacks';

export const commands = group('schedules', 'recurring jobs and campaigns', [
  ...[list, show, create, set, ...verbs, remove, runNow, backfill, preview, occurrences],
]);
