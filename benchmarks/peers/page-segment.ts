import { userPage } from '../../shared/contracts/endpoints/segmentation.ts';
import { createHttpOrigin } from '../../shared/http-client/http-dispatch.ts';
import type { BatchJob } from './job-queue.ts';

const usersPerBatch = 100;
/** Page size of Muster's trigger. */
const usersPerPage = 5000;
const pagesPerGroup = 2;

/**
 * Yields the users of the stub's segment as batches, a hundred batches at a time. Meanwhile the next page is requested.
 */
export async function* pageSegment(baseUrl: string, users: number): AsyncGenerator<BatchJob[]> {
  const origin = createHttpOrigin({ origin: baseUrl, connections: 1, timeoutMs: 10_000, maxAnswerBytes: 1_000_000 });

  async function fetchPage(after: string | null) {
    const query = new URLSearchParams({ country: 'SG', limit: String(usersPerPage), ...(after !== null && { after }) });
    const path = `/v1/segments/${users}/users?${query.toString()}`;
    const outcome = await origin.send({ method: 'GET', path, headers: ['accept', 'application/json'] });
    if (outcome.kind !== 'answered' || outcome.status !== 200) throw new Error(`no page: ${JSON.stringify(outcome)}`);
    return userPage.parse(JSON.parse(outcome.body.toString()));
  }

  let batch = 0;
  let jobs: BatchJob[] = [];
  let coming = fetchPage(null);
  try {
    for (;;) {
      const page = await coming;
      if (page.next !== null) coming = fetchPage(page.next);
      for (let at = 0; at < page.users.length; at += usersPerBatch) {
        const ids = page.users.slice(at, at + usersPerBatch);
        jobs.push({ batch: batch++, users: ids.join(','), count: ids.length });
      }
      if (page.next === null) break;
      if (jobs.length >= (pagesPerGroup * usersPerPage) / usersPerBatch) {
        yield jobs;
        jobs = [];
      }
    }
    if (jobs.length > 0) yield jobs;
  } finally {
    await origin.close();
  }
}
