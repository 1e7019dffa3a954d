import { expect, it } from 'vitest';
import { mayActAs, roles } from './roles.ts';

it('an operator may do what all may, and no scheduler, manager or approver what another may', () => {
  const allowed = roles.map((role) => roles.filter((needed) => mayActAs(role, needed)));
  expect(allowed).toEqual([
    ['viewer'],
    ['viewer', 'scheduler'],
    ['viewer', 'manager'],
    ['viewer', 'approver'],
    [...roles],
  ]);
});
