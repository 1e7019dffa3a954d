import { InvalidArgumentError } from 'commander';
import {
  discardDeadJob,
  discardDeadJobs,
  getDeadJob,
  groupDeadJobs,
  listDeadJobs,
  replayDeadJob,
  replayDeadJobs,
} from '../../sdk/generated/sdk.gen.ts';
import type { DeadJob, DeadJobGroup } from '../../sdk/generated/types.gen.ts';
import { answer, byHand, command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag, pages, text, type OptionShape } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { count } from '../show/numbers.ts';
import { cut, left, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';
import { renderDeadJob } from './render.ts';

const none = 'no dead jobs';

const groupTable = tableOf<DeadJobGroup>(none, [
  right('jobs', ({ jobs }) => jobs),
  left('client', ({ clientId }) => clientId),
  cut('cause', ({ cause }) => cause),
  left('first', ({ firstAt }) => utcTime(firstAt)),
  left('last', ({ lastAt }) => utcTime(lastAt)),
]);

const jobTable = tableOf<DeadJob>(none, [
  left('job', ({ id }) => id),
  left('client', ({ clientId }) => clientId),
  cut('cause', ({ cause }) => cause),
  cut('url', ({ url }) => url),
  left('died', ({ diedAt }) => utcTime(diedAt)),
  left('expired', ({ expired }) => (expired ? 'yes' : '')),
]);

const list = byHand({
  name: 'list',
  said: 'by client and cause; one by one with --jobs',
  options: {
    jobs: flag('--jobs', 'one by one, the last first'),
    client: text('--client <client>', 'only of this client, by id or name'),
    cause: text('--cause <cause>', 'only for this cause, as it is listed'),
    ...pages(50, 1000),
  },
  run: ({ options: { jobs, limit, cursor, ...filter }, ...call }) => {
    const asked = { ...call, options: {} };
    if (!jobs)
      return answer({ ask: ({ client }) => groupDeadJobs({ client, query: filter }), shown: groupTable }, asked);
    const query = { ...filter, limit, ...(cursor !== undefined && { cursor }) };
    return answer({ ask: ({ client }) => listDeadJobs({ client, query }), shown: jobTable }, asked);
  },
});

const show = command({
  name: 'show',
  args: ['<job>'],
  said: 'one job whole, with its last answer',
  ask: ({ client, args: [id] }) => getDeadJob({ client, path: { id } }),
  shown: renderDeadJob,
});

const replay = command({
  name: 'replay',
  args: ['[job]'],
  said: 'call one, or all that fit, again, with all their attempts before them',
  options: {
    client: text('--client <client>', 'all of this client'),
    cause: text('--cause <cause>', 'all for this cause'),
    all: flag('--all', 'all there are'),
    perSecond: perSecond('--per-second <n>', 'so many a second; all at once unless given'),
    withExpired: flag('--with-expired', 'also what has expired'),
  },
  ask: ({ client, args: [id], options: { withExpired, ...selection } }) => {
    requireOne(id, selection);
    if (id !== undefined && selection.perSecond !== undefined) throw new UsageError('--per-second is for several jobs');
    const expired = withExpired === true ? { withExpired } : {};
    return id === undefined
      ? replayDeadJobs({ client, body: { ...selection, ...expired } })
      : replayDeadJob({ client, path: { id }, body: expired });
  },
  refused: 'not called again',
  shown: ({ jobs }) => `${jobs === 1 ? '1 job is' : `${count(jobs)} jobs are`} called again\n`,
  noted: ({ expired }) => (expired > 0 ? `${count(expired)} have expired and were left alone: --with-expired` : []),
});

const discard = command({
  name: 'discard',
  args: ['[job]'],
  said: 'put one, or all that fit, away: nobody calls them again; they stay counted as dead',
  options: {
    client: text('--client <client>', 'all of this client'),
    cause: text('--cause <cause>', 'all for this cause'),
    all: flag('--all', 'all there are'),
  },
  ask: ({ client, args: [id], options: selection }) => {
    requireOne(id, selection);
    return id === undefined ? discardDeadJobs({ client, body: selection }) : discardDeadJob({ client, path: { id } });
  },
  refused: 'not put away',
  shown: ({ jobs }) => `${jobs === 1 ? '1 job is' : `${count(jobs)} jobs are`} put away\n`,
});

export const heading: Heading = 'Callbacks';

export const commands = group('dead-jobs', 'callbacks that were given up, over the API', [list, show, replay, discard]);

interface Selection {
  client?: string | undefined;
  cause?: string | undefined;
  all?: true | undefined;
}

/** @throws {UsageError} where nothing is named, or more than one way of naming is used */
function requireOne(id: string | undefined, { client, cause, all }: Selection): void {
  const isFiltered = client !== undefined || cause !== undefined;
  if ([id !== undefined, isFiltered, all === true].filter(Boolean).length !== 1)
    throw new UsageError('say which: a job, --client or --cause, or --all');
}

function perSecond(flags: string, said: string): OptionShape<number | undefined> {
  const parse = (given: string) => {
    const value = Number(given);
    if (Number.isFinite(value) && value > 0) return value;
    throw new InvalidArgumentError('has to be a number above 0');
  };
  return { flags, said, among: [], parse };
}
