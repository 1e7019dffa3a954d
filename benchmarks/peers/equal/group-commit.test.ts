import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGroupCommit } from './group-commit.ts';

describe('a group commit', () => {
  const groups: { items: readonly number[]; end: PromiseWithResolvers<undefined> }[] = [];
  const commit = (items: readonly number[]) => {
    const end = Promise.withResolvers<undefined>();
    groups.push({ items, end });
    return end.promise.then(() => undefined);
  };
  const written = () => groups.map(({ items }) => items);

  beforeEach(() => {
    vi.useFakeTimers();
    groups.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('collects the items that arrive while earlier groups are written', async () => {
    const add = createGroupCommit(commit, { gapMs: 5, atOnce: 1 });
    void add(1);
    void add(2);
    await vi.advanceTimersByTimeAsync(5);
    void add(3);
    void add(4);
    await vi.advanceTimersByTimeAsync(50);
    expect(written()).toEqual([[1, 2]]);

    groups[0]?.end.resolve(undefined);
    await vi.advanceTimersByTimeAsync(5);
    expect(written()).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('resolves for an item only after its group is committed, and rejects if the commit failed', async () => {
    const add = createGroupCommit(commit, { gapMs: 5, atOnce: 2 });
    let isCommitted = false;
    const first = add(1).then(() => (isCommitted = true));
    await vi.advanceTimersByTimeAsync(5);
    const second = expect(add(2)).rejects.toThrow('connection lost');
    await vi.advanceTimersByTimeAsync(5);
    expect(isCommitted).toBe(false);

    groups[0]?.end.resolve(undefined);
    groups[1]?.end.reject(new Error('connection lost'));
    await Promise.all([first, second]);
    expect(isCommitted).toBe(true);
  });
});
