import type { JobShape, JobSummary } from '../../shared/contracts/jobs/jobs.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

const left = (title: string): Column => ({ title, align: 'left' });

export function renderJobs(jobs: readonly JobSummary[], paint: Paint, width = Infinity): string {
  if (jobs.length === 0) return 'no jobs\n';
  const columns: Column[] = [
    left('job'),
    left('state'),
    left('when (UTC)'),
    { title: 'call', align: 'right' },
    left('method'),
    { ...left('url'), cut: true },
  ];
  const rows = jobs.map(({ id, state, dueAt, endedAt, scheduledFor, attempt, method, url }) => [
    id,
    state,
    utcTime(dueAt ?? endedAt ?? scheduledFor),
    String(attempt),
    method,
    oneLine(url),
  ]);
  return renderTable(columns, rows, paint, width);
}

/** Its body comes last, after an empty line. */
export function renderJob(job: JobShape, paint: Paint): string {
  const { id, state, method, url, headers, body, attempts, tags } = job;
  const facts: [string, string | null][] = [
    ['client', job.clientId],
    ['scheduled for', utcTime(job.scheduledFor)],
    ['due', job.dueAt && utcTime(job.dueAt)],
    ['expires', job.expiresAt && utcTime(job.expiresAt)],
    ['ended', job.endedAt && utcTime(job.endedAt)],
    ['waits for', job.sidelinedFor],
    ['cause', job.cause],
    ['key', job.idempotencyKey],
    ['tags', tags.length === 0 ? null : tags.join(', ')],
    ['headers', headers && JSON.stringify(headers)],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === null ? [] : [`  ${paint.faint(name.padEnd(13))}  ${oneLine(value)}\n`],
  );
  const calls = attempts.map(({ attempt, at, status, latencyMs, error }) => {
    const answered = status === null ? (error ?? 'no answer') : `${status} in ${latencyMs ?? 0} ms`;
    return `  ${paint.faint(`call ${attempt}`.padEnd(13))}  ${utcTime(at)}  ${oneLine(answered)}\n`;
  });
  const shown = body === null ? '' : `\n${oneLine(body)}\n`;
  return `  ${paint.strong(id)} ${state}\n  ${method} ${oneLine(url)}\n\n${lines.join('')}${calls.join('')}${shown}`;
}
