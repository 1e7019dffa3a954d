import { z } from 'zod';
import {
  cancelJob,
  changeJobs,
  createJob,
  getJob,
  getJobChange,
  listJobs,
  rescheduleJob,
  runJobNow,
} from '../../sdk/generated/sdk.gen.ts';
import type { Job, JobSummary, NewJobInput } from '../../sdk/generated/types.gen.ts';
import { apiOf, byHand, command, fieldLabel, group, worded } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { writeData } from '../frame/command-context.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { flag, oneOf, pages, several, severalWhole, text, whole } from '../frame/options.ts';
import { count } from '../show/numbers.ts';
import { cut, left, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';
import { counts } from './count-command.ts';
import { due, dueOf } from './due-options.ts';
import { listCommands } from './list-commands.ts';
import { renderJob } from './render.ts';
import { sendJobs } from './send-jobs.ts';

const states = [
  'pending',
  'waiting',
  'firing',
  'reporting',
  'sidelined',
  'called',
  'expired',
  'cancelled',
  'dead',
] as const;

const filter = {
  state: oneOf('--state <state>', 'state of the jobs; by default pending', [
    'pending',
    'waiting',
    'reporting',
    'sidelined',
  ]),
  tag: text('--tag <tag>', 'only with this tag'),
  endpoint: text('--endpoint <name>', 'only jobs of this endpoint'),
  orderingKey: text('--ordering-key <key>', 'only jobs with this key, in the order of their calls'),
  priority: oneOf('--priority <priority>', 'only with this priority', ['low', 'normal', 'high']),
  dueFrom: text('--due-from <time>', 'earliest due time, inclusive'),
  dueUntil: text('--due-until <time>', 'latest due time, exclusive'),
};

const schedule = command({
  name: 'schedule',
  args: ['<client>', '[url]'],
  description: 'schedule one call of a URL or of an endpoint; by default now',
  options: {
    ...due,
    endpoint: text('--endpoint <name>', 'endpoint of the client; its URL is the default'),
    method: oneOf('--method <method>', 'HTTP method; by default POST', ['POST', 'PUT', 'PATCH', 'DELETE', 'GET']),
    body: text('--body <text>', 'sent as JSON if it is valid JSON, otherwise as text'),
    template: flag('--template', 'fill in variables such as {{jobId}} in body and headers at each call'),
    idempotencyKey: text('--key <key>', 'idempotency key: a repeat with the same key is the same job'),
    tags: several('--tag <tag>', 'tag, for searches; repeatable'),
    relevancySeconds: whole('--relevancy <seconds>', 'the job expires this many seconds after its due time'),
    jitterSeconds: whole('--jitter <seconds>', 'maximum delay; the delay is always the same for a key'),
    orderingKey: text('--ordering-key <key>', 'jobs of this key are called one at a time'),
    ordering: oneOf('--ordering <how>', 'whether other jobs of the key are called while a job waits for its retry', [
      'exclusive',
      'in-order',
    ]),
    priority: oneOf('--priority <priority>', 'priority over other due jobs of the client; by default normal', [
      ...(['low', 'normal', 'high'] as const),
    ]),
    timeoutMs: whole('--timeout <ms>', 'time-out of a call; by default that of the endpoint'),
    reportWithinSeconds: whole(
      '--report-within <seconds>',
      'seconds in which a receiver that answers 202 has to report',
    ),
    finalCodes: severalWhole('--final-code <status>', 'status after which the job is not retried; repeatable'),
  },
  ask: ({ client, args: [owner, url], options: { at, in: seconds, localTime, zone, body, ...job } }) =>
    createJob({
      client,
      body: {
        client: owner,
        ...(url !== undefined && { url }),
        ...job,
        ...dueOf({ at, in: seconds, localTime, zone }),
        ...(body !== undefined && { body: valueOf(body) }),
      },
    }),
  refused: 'not scheduled',
  render: ({ id }) => `${id}\n`,
  hint: ({ dueAt, duplicate, warnings }) => {
    const when = dueAt === null ? 'has ended, or waits for its host' : `is due ${dueAt}`;
    return [`${duplicate ? 'was scheduled before and ' : ''}${when}`, ...warnings.map(({ detail }) => detail)];
  },
});

const send = byHand({
  name: 'send',
  args: ['<file>'],
  description: 'schedule many jobs: one JSON object on each line; - reads standard input',
  options: { client: text('--client <client>', 'client of jobs that name none') },
  run: ({ args: [file], options, context }) => sendJobs(file, options, context),
});

const list = command({
  name: 'list',
  description: 'list open jobs by due time; with --state and --client, ended jobs',
  options: {
    client: text('--client <client>', 'name or id'),
    ...filter,
    state: oneOf('--state <state>', 'only those', states),
    ...pages(50, 1000),
  },
  ask: ({ client, options: query }) => listJobs({ client, query }),
  render: tableOf<JobSummary>('no jobs', [
    left('job', ({ id }) => id),
    left('state', ({ state }) => state),
    left('when (UTC)', ({ dueAt, endedAt, scheduledFor }) => utcTime(dueAt ?? endedAt ?? scheduledFor)),
    right('call', ({ attempt }) => String(attempt)),
    left('method', ({ method }) => method),
    cut('url', ({ url }) => url),
  ]),
});

const show = command({
  name: 'show',
  args: ['<job>'],
  description: 'show a job with all its calls',
  ask: ({ client, args: [id] }) => getJob({ client, path: { id } }),
  render: renderJob,
});

/** Cancels jobs sequentially. Stops at the first unknown id; earlier cancellations stay. */
const cancel = byHand({
  name: 'cancel',
  args: ['<job...>'],
  description: 'cancel jobs: prints cancelled, too-late or called',
  run: async ({ args: [ids], context }) => {
    const client = await apiOf(context);
    for (const id of ids) {
      const { data } = await worded({ outcome: 'not cancelled', labelOf: fieldLabel }, () =>
        cancelJob({ client, path: { id } }),
      );
      writeData(context, data, () => `${data.id} ${data.result}\n`);
    }
    return exitCodes.ok;
  },
});

const movedText = ({ id, state, dueAt }: Job) => `${id} ${state}, due ${dueAt ?? 'never'}\n`;

const reschedule = command({
  name: 'reschedule',
  args: ['<job>'],
  description: 'move a job to another time',
  options: due,
  ask: ({ client, args: [id], options }) => rescheduleJob({ client, path: { id }, body: dueOf(options) }),
  refused: 'not moved',
  render: movedText,
});

const runNow = command({
  name: 'run-now',
  args: ['<job>'],
  description: 'call a job at once',
  ask: ({ client, args: [id] }) => runJobNow({ client, path: { id } }),
  refused: 'not moved',
  render: movedText,
});

const cancelAll = command({
  name: 'cancel-all',
  args: ['<client>'],
  description: 'cancel all jobs of a client that match; runs on the servers',
  options: filter,
  ask: ({ client, args: [owner], options }) =>
    changeJobs({ client, body: { verb: 'cancel', client: owner, ...options } }),
  refused: 'not begun',
  render: ({ id }) => `${id}\n`,
  hint: ({ id }) => `begun; how far it is: muster jobs change ${id}`,
});

const rescheduleAll = command({
  name: 'reschedule-all',
  args: ['<client>'],
  description: 'move all jobs of a client that match; runs on the servers',
  options: { ...filter, ...due },
  ask: ({ client, args: [owner], options: { at, in: seconds, localTime, zone, ...fitting } }) => {
    const to = dueOf({ at, in: seconds, localTime, zone });
    return changeJobs({ client, body: { verb: 'reschedule', client: owner, ...fitting, ...to } });
  },
  refused: 'not begun',
  render: ({ id }) => `${id}\n`,
  hint: ({ id }) => `begun; how far it is: muster jobs change ${id}`,
});

const change = command({
  name: 'change',
  args: ['<change>'],
  description: 'show the progress of such a change',
  ask: ({ client, args: [id] }) => getJobChange({ client, path: { id } }),
  render: ({ state, verb, seen, changed, tooLate }, _view, { args: [id] }) => {
    const done = verb === 'cancel' ? 'cancelled' : 'moved';
    return `${id} ${state}: ${count(seen)} fitted, ${count(changed)} ${done}, too late for ${count(tooLate)}\n`;
  },
});

export const heading: Heading = 'Callbacks';

export const commands = group('jobs', 'callbacks that are due once', [
  ...[schedule, send, cancelAll, rescheduleAll, change, list, counts, show, cancel, reschedule, runNow],
  ...listCommands,
]);

/** Parses JSON, except quoted texts, which the API sends unchanged, and numbers that would lose digits. */
function valueOf(text: string): NonNullable<NewJobInput['body']> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isText = typeof value === 'string' || (typeof value === 'number' && String(value) !== text.trim());
    return isText ? text : z.custom<NonNullable<NewJobInput['body']> | null>().parse(value);
  } catch {
    return text;
  }
}
