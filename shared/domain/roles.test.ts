import { expect, it } from 'vitest';
import { mayActAs, roles } from './roles.ts';

it('an operator may do what a manager may, and a manager what a viewer may', () => {
  const allowed = roles.map((role) => roles.filter((needed) => mayActAs(role, needed)));
  expect(allowed).toEqual([['viewer'], ['viewer', 'manager'], ['viewer', 'manager', 'operator']]);
});
