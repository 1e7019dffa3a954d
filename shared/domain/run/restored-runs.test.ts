import { describe, expect, it } from 'vitest';
import { canContinue } from './restored-runs.ts';

describe('a run of a restored database', () => {
  it.each([
    ['of class A continues', true, ['A', 'A'], true],
    ['that had not begun does not continue, because it may have begun later with unknown feeds', false, ['A'], false],
    ['with a step of class B does not continue, because batches may have been split later', true, ['A', 'B'], false],
    ['with a step of class C does not continue, because status requests need known keys', true, ['C'], false],
    ['with a step of class D does not continue, because its endpoint keeps no keys', true, ['D', 'A'], false],
    ['with a step of an unknown type does not continue', true, ['A', null], false],
  ])('%s', (_, hasBegun, classes, goesOn) => {
    expect(canContinue({ hasBegun, classes })).toBe(goesOn);
  });
});
