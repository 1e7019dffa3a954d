import { expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { isAfter, justAfter, justBefore } from '../ports/due-references.ts';

it('the read position just after a job is the first one behind that job', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 1, max: 2 ** 50 }), (jobId, dueUs) => {
      const after = justAfter({ dueUs, jobId });
      expect(isAfter(after, { dueUs, jobId })).toBe(true);
      expect(justBefore(after)).toEqual({ dueUs, jobId });
    }),
  );
  const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  expect(isAfter(justAfter({ dueUs: 7, jobId: last }), { dueUs: 7, jobId: last })).toBe(true);
});

it('the read position just before a job is followed by that job and no earlier one', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), fc.integer({ min: 1, max: 2 ** 50 }), (jobId, otherId, dueUs) => {
      const before = justBefore({ dueUs, jobId });
      expect(before.jobId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(isAfter({ dueUs, jobId }, before)).toBe(true);
      expect(isAfter({ dueUs, jobId: otherId }, before)).toBe(otherId >= jobId);
    }),
  );
  const zero = '00000000-0000-0000-0000-000000000000';
  expect(isAfter({ dueUs: 7, jobId: zero }, justBefore({ dueUs: 7, jobId: zero }))).toBe(true);
});
