import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkShape } from './check-shape.ts';

it('the check of a body with 80,000 unknown fields describes a hundred of them and counts the others', () => {
  const body = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`f${index}`, index]));

  const checked = checkShape(z.strictObject({ name: z.string() }), body);

  if (checked.ok) expect.fail('it has unknown fields');
  expect(checked.problems.length).toBeLessThanOrEqual(101);
  expect(checked.problems.length + checked.more).toBe(80_001);
});

it('the check of a body describes the first hundred faults of the same kind and counts the others', () => {
  const checked = checkShape(
    z.array(z.string()),
    Array.from({ length: 5000 }, () => 1),
  );

  if (checked.ok) expect.fail('they are no texts');
  expect(checked.problems).toHaveLength(100);
  expect(checked.more).toBe(4900);
});

describe('the answer to a body of the largest size', () => {
  const fields = Array.from({ length: 1000 }, (_, at) => [`${at}${'x'.repeat(900)}`, at]);

  it('is short if unknown fields have long names, even if the parser’s message lists all of them', () => {
    const lists = z.union([z.array(z.number()), z.array(z.boolean())]);
    // Beyond a thousand problems, the messages are those of the parser.
    const list = Array.from({ length: 600 }, () => 'x');
    const checked = checkShape(z.strictObject({ list: lists }), { list, ...Object.fromEntries(fields) });
    if (checked.ok) expect.fail('it has unknown fields');
    expect(checked.problems.map(({ code }) => code)).toContain('unknown-field');
    expect(JSON.stringify(checked.problems).length).toBeLessThan(400_000);
  });

  it('is short if many values inside an object with a long name are wrong', () => {
    const below = Array.from({ length: 100 }, () => 'x');
    const shape = z.record(z.string(), z.record(z.string(), z.array(z.number())));
    const checked = checkShape(shape, { ['a'.repeat(1000)]: { ['b'.repeat(1000)]: below } });
    if (checked.ok) expect.fail('they are no numbers');
    expect(checked.problems).toHaveLength(100);
    expect(JSON.stringify(checked.problems).length).toBeLessThan(200_000);
  });

  it('does not count a listed problem as unlisted', () => {
    const shapes = z.array(z.union([z.object({ a: z.number(), b: z.number() }), z.object({ c: z.number() })]));
    const checked = checkShape(shapes, [{ a: 'x', b: 'x' }]);
    if (checked.ok) expect.fail('they are no numbers');
    expect(checked.problems).toHaveLength(2);
    expect(checked.more).toBe(0);
  });
});
