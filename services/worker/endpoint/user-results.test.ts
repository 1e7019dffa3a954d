import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { mergeResults, type FailedResult, type UserResults } from './user-results.ts';

type UserWord = 'succeeded' | 'failed' | 'retryable' | 'missing';

function failure(id: string, retryable: boolean, code = 'busy'): FailedResult {
  return { id, code, detail: null, retryable };
}

function resultsOf(words: Readonly<Record<string, UserWord>>, code = 'busy'): UserResults {
  const entries = Object.entries(words);
  return {
    failed: entries
      .filter(([, word]) => word === 'failed' || word === 'retryable')
      .map(([id, word]) => failure(id, word === 'retryable', code)),
    missing: entries.filter(([, word]) => word === 'missing').map(([id]) => id),
    unexpected: 0,
    repeated: 0,
  };
}

function wordOf({ failed, missing }: UserResults, id: string): UserWord {
  const found = failed.find((one) => one.id === id);
  if (found) return found.retryable ? 'retryable' : 'failed';
  return missing.includes(id) ? 'missing' : 'succeeded';
}

describe('two answers to one key', () => {
  it.each<[UserWord, UserWord, UserWord]>([
    ['succeeded', 'succeeded', 'succeeded'],
    ['succeeded', 'failed', 'succeeded'],
    ['succeeded', 'retryable', 'succeeded'],
    ['succeeded', 'missing', 'succeeded'],
    ['failed', 'succeeded', 'succeeded'],
    ['failed', 'failed', 'failed'],
    ['failed', 'retryable', 'failed'],
    ['failed', 'missing', 'failed'],
    ['retryable', 'succeeded', 'succeeded'],
    ['retryable', 'failed', 'failed'],
    ['retryable', 'retryable', 'retryable'],
    ['retryable', 'missing', 'missing'],
    ['missing', 'succeeded', 'succeeded'],
    ['missing', 'failed', 'failed'],
    ['missing', 'retryable', 'retryable'],
    ['missing', 'missing', 'missing'],
  ])('are merged: %s, then %s, is %s', (first, second, merged) => {
    expect(wordOf(mergeResults(resultsOf({ u: first }), resultsOf({ u: second })), 'u')).toBe(merged);
  });

  it('are merged for each user, and a final result takes precedence over a retryable or missing one', () => {
    const word = fc.constantFrom<UserWord>('succeeded', 'failed', 'retryable', 'missing');
    const words = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.tuple(word, word));
    fc.assert(
      fc.property(words, (pairs) => {
        const part = (index: 0 | 1) =>
          resultsOf(Object.fromEntries(Object.entries(pairs).map(([id, both]) => [id, both[index]])));
        const merged = mergeResults(part(0), part(1));
        for (const [id, both] of Object.entries(pairs)) {
          const alone = mergeResults(resultsOf({ [id]: both[0] }), resultsOf({ [id]: both[1] }));
          expect(wordOf(merged, id)).toBe(wordOf(alone, id));
          if (both.includes('succeeded')) expect(wordOf(merged, id)).toBe('succeeded');
          else if (both.includes('failed')) expect(wordOf(merged, id)).toBe('failed');
        }
      }),
    );
  });

  it('keep the second code for a failure that was retryable, and the first code for a final failure', () => {
    const first = resultsOf({ a: 'retryable', b: 'failed' }, 'first');
    const second = resultsOf({ a: 'failed', b: 'failed' }, 'second');
    expect(mergeResults(first, second).failed.map(({ id, code }) => [id, code])).toEqual([
      ['a', 'second'],
      ['b', 'first'],
    ]);
  });
});
