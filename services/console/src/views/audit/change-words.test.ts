import { describe, expect, it } from 'vitest';
import { describeDetail, describeResult } from './change-words.ts';

describe('the detail of a change', () => {
  it.each([
    [{ reason: 'wrong template', to: [1] }, 'Reason: wrong template · to: 1'],
    [{ usersAtMost: { SG: 1785, VN: 42 } }, 'Users at most: SG 1,785, VN 42'],
    [{ from: [], to: [{ usersAbove: 100_000, approvers: 1 }] }, 'From: none · to: users above 100,000, approvers 1'],
    [{ approversSignIn: true, owner: null }, 'Approvers sign in: yes · owner: none'],
    [{ to: 2, from: 1 }, 'From: 1 · to: 2'],
    [{ hash: `ba61${'0'.repeat(56)}368d` }, 'Hash: ba61…368d'],
    [{}, ''],
  ])('is formatted without JSON: %j', (detail, words) => {
    expect(describeDetail(detail)).toBe(words);
  });
});

it.each([
  [201, true, 'done'],
  [409, false, 'refused by its state'],
  [422, false, 'refused, 422'],
])('the result of a change with status %d is described', (status, isDone, words) => {
  expect(describeResult(status)).toEqual({ isDone, words });
});
