import { describe, expect, it } from 'vitest';
import { compareKeys, type JobKey } from './job-key.ts';

const key: JobKey = { partition: 1, dueUs: 1_000_000, jobId: 'job_b' };

describe('the order of job keys', () => {
  it('puts the partition before the due time, and the due time before the id', () => {
    const ascending: JobKey[] = [
      { partition: 0, dueUs: 9, jobId: 'job_z' },
      { partition: 1, dueUs: 7, jobId: 'job_z' },
      { partition: 1, dueUs: 8, jobId: 'job_a' },
      { partition: 1, dueUs: 8, jobId: 'job_b' },
    ];
    expect(ascending.toReversed().toSorted(compareKeys)).toEqual(ascending);
  });

  it('compares equal keys as 0, and others as opposite signs', () => {
    const later: JobKey = { ...key, jobId: 'job_c' };
    expect(compareKeys(key, { ...key })).toBe(0);
    expect([compareKeys(key, later), compareKeys(later, key)].map(Math.sign)).toEqual([-1, 1]);
  });
});
