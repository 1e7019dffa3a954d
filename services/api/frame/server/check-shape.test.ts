import { expect, it } from 'vitest';
import { z } from 'zod';
import { checkShape } from './check-shape.ts';

it('describes a hundred of 80,000 unknown fields and counts the others', () => {
  const body = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`f${index}`, index]));

  const checked = checkShape(z.strictObject({ name: z.string() }), body);

  if (checked.ok) expect.fail('it has unknown fields');
  expect(checked.problems.length).toBeLessThanOrEqual(101);
  expect(checked.problems.length + checked.more).toBe(80_001);
});

it('describes a hundred of many faults of one kind and counts the others', () => {
  const checked = checkShape(
    z.array(z.string()),
    Array.from({ length: 5000 }, () => 1),
  );

  if (checked.ok) expect.fail('they are no texts');
  expect(checked.problems).toHaveLength(100);
  expect(checked.more).toBe(4900);
});
