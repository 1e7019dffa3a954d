import { expect, test } from 'vitest';
import { keepOrder } from './stable-order.ts';

const items = (...ids: string[]) => ids.map((id) => ({ id }));

test('rows stay where they are when their order changes, and it is said how many moved', () => {
  expect(keepOrder(['a', 'b', 'c'], items('c', 'a', 'b'))).toEqual({ rows: items('a', 'b', 'c'), moved: 3 });
});

test('what is new comes behind, what left is gone, and an order that did not change has no moves', () => {
  expect(keepOrder(['a', 'b'], items('b', 'x')).rows).toEqual(items('b', 'x'));
  expect(keepOrder(['a', 'b'], items('a', 'b')).moved).toBe(0);
});
