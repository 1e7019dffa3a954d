import { describe, expect, it } from 'vitest';
import { auditSteps } from './audit.ts';

const expected = { batches: 2, usersPerBatch: 100 };
const complete = [0, 1].flatMap((batch) => [
  { batch, step: 1, succeeded: 99, failed: ['a'] },
  { batch, step: 2, succeeded: 98, failed: ['b'] },
]);

describe('the audit of stored steps', () => {
  it('accepts one outcome row and one listed failure for each step of each batch', () => {
    expect(auditSteps(complete, expected)).toEqual([]);
  });

  it('reports a missing row, which a job causes if it counts as done before its commit', () => {
    expect(auditSteps(complete.slice(0, 3), expected)).toEqual(['batch 1, step 2: no outcome row']);
  });

  it('reports two rows of one step, wrong figures, missing failures, and unknown batches', () => {
    const [first, ...others] = complete;
    expect(auditSteps([...complete, ...complete.slice(0, 1)], expected)).toEqual(['batch 0, step 1: 2 outcome rows']);
    expect(auditSteps([...others, { batch: 0, step: 1, succeeded: 100, failed: ['a'] }], expected)).toEqual([
      'batch 0, step 1: 100 users succeeded instead of 99',
    ]);
    expect(auditSteps([...others, { batch: 0, step: 1, succeeded: 99, failed: [] }], expected)).toEqual([
      'batch 0, step 1: 0 failed users are listed instead of 1',
    ]);
    expect(
      auditSteps(
        [first, ...others, { batch: 7, step: 1, succeeded: 99, failed: ['a'] }].filter((row) => row !== undefined),
        expected,
      ),
    ).toEqual(['7-1: nobody asked for this batch and step']);
  });
});
