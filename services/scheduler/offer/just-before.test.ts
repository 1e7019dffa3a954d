import { expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { isBehind, justAfter, justBefore } from '../ports/due-references.ts';

it('the mark just after a job is the first mark behind the job', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 1, max: 2 ** 50 }), (jobId, dueUs) => {
      const after = justAfter({ dueUs, jobId });
      expect(isBehind(after, { dueUs, jobId })).toBe(true);
      expect(justBefore(after)).toEqual({ dueUs, jobId });
    }),
  );
  const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  expect(isBehind(justAfter({ dueUs: 7, jobId: last }), { dueUs: 7, jobId: last })).toBe(true);
});

it('the mark just before a job is followed by that job and no earlier one', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), fc.integer({ min: 1, max: 2 ** 50 }), (jobId, otherId, dueUs) => {
      const before = justBefore({ dueUs, jobId });
      expect(before.jobId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(isBehind({ dueUs, jobId }, before)).toBe(true);
      expect(isBehind({ dueUs, jobId: otherId }, before)).toBe(otherId >= jobId);
    }),
  );
  const zero = '00000000-0000-0000-0000-000000000000';
  expect(isBehind({ dueUs: 7, jobId: zero }, justBefore({ dueUs: 7, jobId: zero }))).toBe(true);
});
