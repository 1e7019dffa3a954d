import type { DeadJobContentShape, DeadJobGroupShape, DeadJobShape } from '../../shared/contracts/jobs/dead-jobs.ts';
import { count } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

const left = (title: string): Column => ({ title, align: 'left' });
const cut = (title: string): Column => ({ title, align: 'left', cut: true });
const none = 'no dead jobs\n';

export function renderDeadJobGroups(groups: readonly DeadJobGroupShape[], paint: Paint, width = Infinity): string {
  if (groups.length === 0) return none;
  const columns: Column[] = [
    { title: 'jobs', align: 'right' },
    left('client'),
    cut('cause'),
    left('first'),
    left('last'),
  ];
  const rows = groups.map(({ jobs, clientId, cause: why, firstAt, lastAt }) => [
    ...[count(jobs), clientId, oneLine(why), utcTime(firstAt), utcTime(lastAt)],
  ]);
  return renderTable(columns, rows, paint, width);
}

export function renderDeadJobs(jobs: readonly DeadJobShape[], paint: Paint, width = Infinity): string {
  if (jobs.length === 0) return none;
  const columns = [left('job'), left('client'), cut('cause'), cut('url'), left('died'), left('expired')];
  const rows = jobs.map(({ id, clientId, cause, url, diedAt, expired }) => [
    ...[id, clientId, oneLine(cause), oneLine(url), utcTime(diedAt), expired ? 'yes' : ''],
  ]);
  return renderTable(columns, rows, paint, width);
}

/** Its body and the answer come last. */
export function renderDeadJob(job: DeadJobContentShape): string {
  const { id, clientId, cause, diedAt, scheduledFor, expired, attempts, method, url, body, answer } = job;
  return [
    `${id} of ${clientId}, dead since ${utcTime(diedAt)}${expired ? ', expired' : ''}`,
    `${oneLine(cause)}, after ${attempts === 1 ? '1 call' : `${attempts} calls`}; meant for ${utcTime(scheduledFor)}`,
    `${method} ${oneLine(url)}`,
    ...(body === null ? [] : ['', '(body)', printable(body)]),
    ...(answer === null ? [] : ['', '(answer)', printable(answer)]),
    '',
  ].join('\n');
}

/** Line by line: what shows it to a terminal must not be steered by who wrote it. */
function printable(text: string): string {
  return text.split(/\r?\n/).map(oneLine).join('\n');
}
