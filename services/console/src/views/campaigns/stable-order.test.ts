import { expect, test } from 'vitest';
import { keepOrder } from './stable-order.ts';

const items = (...ids: string[]) => ids.map((id) => ({ id }));

test('rows keep their places when the order changes, and the moved rows are counted', () => {
  expect(keepOrder(['a', 'b', 'c'], items('c', 'a', 'b'))).toEqual({ rows: items('a', 'b', 'c'), moved: 3 });
});

test('new rows are added at the end, missing rows are removed, and an unchanged order has no moves', () => {
  expect(keepOrder(['a', 'b'], items('b', 'x')).rows).toEqual(items('b', 'x'));
  expect(keepOrder(['a', 'b'], items('a', 'b')).moved).toBe(0);
});
