import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { findJobs, getJob, listJobs } from '#client/sdk.gen.ts';
import type { JobSummary } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { createJobFilter, needsClient, type JobQuery } from './job-filter.ts';
import type { JobsSearch } from './search.ts';

const perPage = 50;
/** Maximum number of API pages per read: a page examines a limited number of jobs, and none may match. */
const mostPages = 8;
const askEveryMs = 10_000;

export interface JobPage {
  items: JobSummary[];
  next: string | null;
}

export function useJobs(search: JobsSearch, nowMs: number) {
  const { state, name, cursor } = search;
  const query = {
    ...createJobFilter(search, nowMs),
    limit: perPage,
    ...(state !== undefined && { state }),
    ...(cursor !== undefined && { cursor }),
  };
  return useQuery({
    queryKey: ['jobs', query, name],
    queryFn: ({ signal }) => (name === undefined ? firstOf(query, signal) : namedJob(name, search.client, signal)),
    enabled: name !== undefined || !needsClient(search),
    placeholderData: keepPreviousData,
    refetchInterval: askEveryMs,
  });
}

async function firstOf(query: JobQuery, signal: AbortSignal): Promise<JobPage> {
  let page: JobPage = { items: [], next: null };
  for (let pages = 0; pages < mostPages; pages++) {
    page = (
      await listJobs({
        query: { ...query, ...(page.next !== null && { cursor: page.next }) },
        signal,
        throwOnError: true,
      })
    ).data;
    if (page.items.length > 0 || page.next === null) break;
  }
  return page;
}

/** Finds a job by its id, or by its key if a client is chosen. */
async function namedJob(name: string, client: string | undefined, signal: AbortSignal): Promise<JobPage> {
  if (client !== undefined) {
    const named = name.startsWith('job_') ? { ids: [name] } : { idempotencyKeys: [name] };
    const { results } = (await findJobs({ body: { client, ...named }, signal, throwOnError: true })).data;
    return { items: results.flatMap(({ job }) => job ?? []), next: null };
  }
  if (!name.startsWith('job_')) return { items: [], next: null };
  try {
    return { items: [(await getJob({ path: { id: name }, signal, throwOnError: true })).data], next: null };
  } catch (error) {
    if (problemOf(error).status === 404) return { items: [], next: null };
    throw error;
  }
}
