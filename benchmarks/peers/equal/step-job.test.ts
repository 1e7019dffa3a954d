import { describe, expect, it } from 'vitest';
import { firstStepOf, nextStepOf, nextStepsOf } from './step-job.ts';

const first = firstStepOf({ batch: 7, users: 'a,b,c', count: 3 });

describe('the job of a step', () => {
  it('is followed by a job for the users that succeeded', () => {
    expect(nextStepOf({ job: first, failed: ['b'] })).toEqual({ batch: 7, step: 2, users: 'a,c', count: 2 });
    expect(nextStepOf({ job: first, failed: [] })).toEqual({ batch: 7, step: 2, users: 'a,b,c', count: 3 });
  });

  it('is followed by no job if all users failed, or if the step was the last one', () => {
    const second = { batch: 7, step: 2, users: 'a,c', count: 2 };
    expect(
      nextStepsOf([
        { job: first, failed: ['a', 'b', 'c'] },
        { job: second, failed: [] },
      ]),
    ).toEqual([]);
  });
});
