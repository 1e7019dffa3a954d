import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { isAfter, type BandSpan } from '../ports/due-references.ts';

/**
 * Groups the jobs of each band and partition. A group ends where a job of another band lies between two jobs.
 * @param due sorted by partition, then by due time and id
 * @param passed spans that the same scan has skipped, in the order of their keys
 */
export function consecutiveJobs(due: readonly JobReference[], passed: readonly BandSpan[] = []): JobReference[][] {
  const passedIn = Map.groupBy(passed, ({ partition }) => partition);
  const groups: JobReference[][] = [];
  let group: JobReference[] = [];
  for (const job of due) {
    const before = group.at(-1);
    const between = passedIn.get(job.partition) ?? [];
    let isSeparate = before === undefined || !isSameBand(before, job);
    for (let [span] = between; span && isAfter(job, span.first); [span] = between) {
      isSeparate = true;
      between.shift();
    }
    if (isSeparate) groups.push((group = [job]));
    else group.push(job);
  }
  return groups;
}

function isSameBand(one: JobReference, other: JobReference): boolean {
  return one.partition === other.partition && one.clientId === other.clientId && one.priority === other.priority;
}
