import { describe, expect, it } from 'vitest';
import { mayGoOn } from './restored-runs.ts';

describe('a run of a restored database', () => {
  it.each([
    ['of class A alone goes on', true, ['A', 'A'], true],
    ['that had not begun may have begun since, under feeds that are forgotten', false, ['A'], false],
    ['with a step of class B may have split batches since', true, ['A', 'B'], false],
    ['with a step of class C asks nothing of keys that it does not know', true, ['C'], false],
    ['with a step of class D has no memory at all', true, ['D', 'A'], false],
    ['with a step of a type that is gone is looked at', true, ['A', null], false],
  ])('%s', (_, hasBegun, classes, goesOn) => {
    expect(mayGoOn({ hasBegun, classes })).toBe(goesOn);
  });
});
