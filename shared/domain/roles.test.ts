import { expect, it } from 'vitest';
import { mayActAs, roles } from './roles.ts';

it("an operator has all rights, and scheduler, manager and approver have none of each other's", () => {
  const allowed = roles.map((role) => roles.filter((needed) => mayActAs(role, needed)));
  expect(allowed).toEqual([
    ['viewer'],
    ['viewer', 'scheduler'],
    ['viewer', 'manager'],
    ['viewer', 'approver'],
    [...roles],
  ]);
});
