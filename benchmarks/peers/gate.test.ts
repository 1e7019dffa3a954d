import { expect, it } from 'vitest';
import { createGate } from './gate.ts';

it('a concurrency gate admits calls in order, up to its limit at once, and frees the slot of a failed call', async () => {
  const gate = createGate(2);
  const passing: number[] = [];
  const ends = new Map<number, () => void>();
  const pass = (id: number) =>
    gate(async () => {
      passing.push(id);
      await new Promise<void>((resolve) => ends.set(id, resolve));
      if (id === 1) throw new Error('failed inside');
      return id;
    });
  const passes = [1, 2, 3, 4].map(pass);
  expect(passing).toEqual([1, 2]);

  ends.get(1)?.();
  await expect(passes[0]).rejects.toThrow('failed inside');
  expect(passing).toEqual([1, 2, 3]);
  ends.get(2)?.();
  expect(await passes[1]).toBe(2);
  expect(passing).toEqual([1, 2, 3, 4]);
});
