import { cancelJobs, changeJobs, rescheduleJobs, resendJobs } from '#client/sdk.gen.ts';
import type { JobChange } from '#client/types.gen.ts';
import type { JobQuery } from './job-filter.ts';

export type BulkVerb = 'run-now' | 'reschedule' | 'cancel' | 'resend';

export type Target =
  /** Chosen jobs: maps the id of each job to its client. */
  | { kind: 'chosen'; jobs: ReadonlyMap<string, string> }
  /** All matching jobs on all pages. The server finds them. */
  | {
      kind: 'all';
      client: string;
      filter: JobFilter;
      state: 'pending' | 'waiting' | 'reporting' | 'sidelined';
      count: number | undefined;
    };

type JobFilter = Pick<JobQuery, 'tag' | 'endpoint' | 'orderingKey' | 'priority' | 'dueFrom' | 'dueUntil'>;

/** Number of jobs by result, such as 3 cancelled and 1 too late. */
export type ResultCounts = ReadonlyMap<string, number>;

/** Maximum number of jobs in a request of the API. */
const mostAtOnce = 5000;

/** @param dueAt new due time; null for now */
export async function changeChosen(
  verb: BulkVerb,
  jobs: ReadonlyMap<string, string>,
  dueAt: string | null,
): Promise<ResultCounts> {
  const counts = new Map<string, number>();
  for (const [client, all] of Map.groupBy(jobs.keys(), (id) => jobs.get(id) ?? '')) {
    for (let from = 0; from < all.length; from += mostAtOnce) {
      const results = await changeListed(verb, { client, ids: all.slice(from, from + mostAtOnce) }, dueAt);
      for (const { result } of results) counts.set(result, (counts.get(result) ?? 0) + 1);
    }
  }
  return counts;
}

async function changeListed(
  verb: BulkVerb,
  named: { client: string; ids: string[] },
  dueAt: string | null,
): Promise<readonly { result: string }[]> {
  const due = dueAt === null ? { delaySeconds: 0 } : { dueAt };
  switch (verb) {
    case 'cancel':
      return (await cancelJobs({ body: named, throwOnError: true })).data.results;
    case 'resend':
      return (await resendJobs({ body: named, throwOnError: true })).data.results;
    case 'run-now':
    case 'reschedule':
      return (await rescheduleJobs({ body: { ...named, ...due }, throwOnError: true })).data.results;
  }
}

/** Starts the change on the server, which carries it out in parts. */
export async function changeAll(
  verb: Exclude<BulkVerb, 'resend'>,
  { client, filter, state }: Extract<Target, { kind: 'all' }>,
  dueAt: string | null,
): Promise<JobChange> {
  const due = dueAt === null ? { delaySeconds: 0 } : { dueAt };
  const change = verb === 'cancel' ? ({ verb: 'cancel' } as const) : ({ verb: 'reschedule', ...due } as const);
  return (await changeJobs({ body: { client, state, ...filter, ...change }, throwOnError: true })).data;
}

const results: Readonly<Record<string, string>> = {
  cancelled: 'are cancelled: they will not be called',
  rescheduled: 'are rescheduled',
  sent: 'are sent again, as new jobs',
  called: 'were called before: nothing was changed',
  'too-late': 'were being called, or had ended: nothing was changed',
  'not-found': 'no longer exist',
  'not-ended': 'have not ended yet: nothing was sent',
  'body-not-kept': 'were not sent: their client keeps no bodies',
  'quota-exceeded': 'were not sent: their client has reached its rate limit',
  'too-many-jobs': 'were not sent: their client has reached its limit of stored jobs',
};

export function describeResult(result: string): string {
  return results[result] ?? result;
}
