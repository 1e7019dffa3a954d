import { describe, expect, it } from 'vitest';
import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { clientIdOf, jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import type { BandSpan } from '../ports/due-references.ts';
import { consecutiveJobs } from './consecutive-jobs.ts';

const jobAt = (dueUs: number, client = 1, partition = 7): JobReference => ({
  partition,
  dueUs,
  jobId: jobIdOf(dueUs),
  clientId: clientIdOf(client),
});
const urgentAt = (dueUs: number): JobReference => ({ ...jobAt(dueUs), priority: 'high' });
const passedAt = (dueUs: number, partition = 7): BandSpan => {
  const key = { dueUs, jobId: jobIdOf(dueUs) };
  return { partition, clientId: clientIdOf(9), first: key, last: key, rows: 1 };
};
const groupsOf = (due: readonly JobReference[], passed: readonly BandSpan[] = []) =>
  consecutiveJobs(due, passed).map((group) => group.map(({ dueUs }) => dueUs));

describe('consecutive jobs', () => {
  it('end where the next job has another client, priority or partition', () => {
    const due = [jobAt(1), jobAt(2), jobAt(3, 2), jobAt(4), urgentAt(5), urgentAt(6), jobAt(7, 1, 8), jobAt(8, 1, 8)];
    expect(groupsOf(due)).toEqual([[1, 2], [3], [4], [5, 6], [7, 8]]);
  });

  it('end where skipped jobs of the same partition lie between two jobs', () => {
    const due = [jobAt(2), jobAt(4), jobAt(6), jobAt(8), jobAt(3, 1, 8), jobAt(9, 1, 8)];
    const passed = [passedAt(1), passedAt(5), passedAt(7), passedAt(9), passedAt(1, 8), passedAt(5, 9)];
    expect(groupsOf(due, passed)).toEqual([[2, 4], [6], [8], [3, 9]]);
  });
});
