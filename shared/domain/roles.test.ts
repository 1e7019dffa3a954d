import { expect, it } from 'vitest';
import { mayActAs, roles } from './roles.ts';

it('an operator may do what all may, and neither a scheduler nor a manager what the other may', () => {
  const allowed = roles.map((role) => roles.filter((needed) => mayActAs(role, needed)));
  expect(allowed).toEqual([['viewer'], ['viewer', 'scheduler'], ['viewer', 'manager'], [...roles]]);
});
