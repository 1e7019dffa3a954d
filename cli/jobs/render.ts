import type { Job } from '../../sdk/generated/types.gen.ts';
import type { View } from '../show/paint.ts';
import { renderFacts } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcSecond } from '../show/times.ts';

/** Renders a job, with its body last after an empty line. */
export function renderJob(job: Job, view: View): string {
  const { id, state, method, url, headers, body, attempts, tags } = job;
  const calls = attempts.flatMap(({ attempt, at, status, latencyMs, error, answer }) => {
    const outcome = status === null ? (error ?? 'no answer') : `${status} in ${latencyMs ?? 0} ms`;
    const call = [`call ${attempt}`, `${utcSecond(at)}  ${outcome}`] as const;
    return answer === null || answer === '' ? [call] : [call, ['answer', oneLine(answer)] as const];
  });
  const facts = renderFacts(
    { name: id, facts: [state, `${method} ${url}`] },
    [
      ['client', job.clientId],
      ['scheduled for', utcSecond(job.scheduledFor)],
      ['accepted', utcSecond(job.acceptedAt)],
      ['due', job.dueAt && utcSecond(job.dueAt)],
      ['expires', job.expiresAt && utcSecond(job.expiresAt)],
      ['ended', job.endedAt && utcSecond(job.endedAt)],
      ['repeats', job.repeats],
      ['endpoint', job.endpoint],
      ['waits for', job.sidelinedFor],
      ['cause', job.cause],
      ['key', job.idempotencyKey],
      ['ordering', job.orderingKey && `${job.ordering ?? ''}, by ${job.orderingKey}`],
      ['priority', job.priority === 'normal' ? null : job.priority],
      ['template', job.template ? 'names in its body and headers are filled in at each call' : null],
      ['trace', job.traceId ?? null],
      ['tags', tags.length === 0 ? null : tags.join(', ')],
      ...headerFacts(headers),
      ['body', job.withheld ? hiddenHint : null],
      ...calls,
    ],
    view,
  );
  return `${facts}${body === null ? '' : `\n${oneLine(body)}\n`}`;
}

const hiddenHint = 'not shown to a key that only looks, as answers are not';

/** Formats `x-api-key: set, 27 characters`: secret headers are never displayed. */
function headerFacts(headers: Job['headers']) {
  return Object.entries(headers ?? {}).map(([name, value]) => {
    const displayed = typeof value === 'string' ? oneLine(value) : `set, ${value.length} characters`;
    return ['header', `${oneLine(name)}: ${displayed}`] as const;
  });
}
