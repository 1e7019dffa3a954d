import {
  discardQuarantinedJob,
  discardQuarantinedJobs,
  getQuarantinedJob,
  groupQuarantinedJobs,
  listQuarantinedJobs,
  replayQuarantinedJob,
  replayQuarantinedJobs,
} from '../../sdk/generated/sdk.gen.ts';
import type { QuarantinedJob, QuarantinedJobDetail, QuarantinedJobGroup } from '../../sdk/generated/types.gen.ts';
import { cut, left, right, tableOf } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';
import type { Filters, ItemKind } from './kind.ts';

const none = 'no quarantined jobs';

const groupTable = tableOf<QuarantinedJobGroup>(none, [
  right('jobs', ({ items }) => items),
  left('client', ({ clientId }) => clientId),
  cut('reason', ({ reason }) => reason),
  left('first', ({ firstAt }) => utcTime(firstAt)),
  left('last', ({ lastAt }) => utcTime(lastAt)),
]);

const jobTable = tableOf<QuarantinedJob>(none, [
  left('job', ({ id }) => id),
  left('client', ({ clientId }) => clientId),
  cut('reason', ({ reason }) => reason),
  cut('url', ({ url }) => url),
  left('since', ({ since }) => utcTime(since)),
  left('expired', ({ expired }) => (expired ? 'yes' : '')),
]);

const queryOf = ({ client, reason }: Pick<Filters, 'client' | 'reason'>) => ({
  ...(client !== undefined && { client }),
  ...(reason !== undefined && { reason }),
});

/** Dead jobs: all their calls failed, or they could not be called. */
export const jobs: ItemKind = {
  one: 'job',
  many: 'jobs',
  prefix: 'job_',
  filters: ['client', 'reason'],
  selections: {
    replay: ['client', 'reason', 'all', 'perSecond', 'withExpired'],
    discard: ['client', 'reason', 'all'],
  },
  list: ({ limit, cursor, ...filters }, answering) => {
    const query = { ...queryOf(filters), limit, ...(cursor !== undefined && { cursor }) };
    return answering({ ask: ({ client }) => listQuarantinedJobs({ client, query }), render: jobTable });
  },
  groups: (filters, answering) =>
    answering({ ask: ({ client }) => groupQuarantinedJobs({ client, query: queryOf(filters) }), render: groupTable }),
  show: (id, answering) =>
    answering({ ask: ({ client }) => getQuarantinedJob({ client, path: { id } }), render: renderJob }),
  decide: (verb, id, { withExpired }, client) =>
    verb === 'replay'
      ? replayQuarantinedJob({ client, path: { id }, body: withExpired ? { withExpired } : {} })
      : discardQuarantinedJob({ client, path: { id } }),
  decideAll: (verb, { all, perSecond, withExpired, ...names }, client) => {
    const body = { ...queryOf(names), ...(all && { all }) };
    if (verb === 'discard') return discardQuarantinedJobs({ client, body });
    const terms = { ...(perSecond !== undefined && { perSecond }), ...(withExpired && { withExpired }) };
    return replayQuarantinedJobs({ client, body: { ...body, ...terms } });
  },
};

function renderJob(job: QuarantinedJobDetail): string {
  const { id, clientId, reason, since, scheduledFor, expired, attempts, method, url, body, answer } = job;
  return [
    `${id} of ${clientId}, dead since ${utcTime(since)}${expired ? ', expired' : ''}`,
    `${oneLine(reason)}, after ${attempts === 1 ? '1 call' : `${attempts} calls`}; meant for ${utcTime(scheduledFor)}`,
    `${method} ${oneLine(url)}`,
    ...(body === null ? [] : ['', '(body)', printable(body)]),
    ...(answer === null ? [] : ['', '(answer)', printable(answer)]),
    '',
  ].join('\n');
}

/** Replaces control characters line by line, so that a receiver's text cannot steer the terminal. */
function printable(text: string): string {
  return text.split(/\r?\n/).map(oneLine).join('\n');
}
