import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { StepDone } from '../../ports/step-ledger.ts';
import { takeChildNumbers } from './child-statements.ts';

/** Numbers taken at once: large enough that workers rarely wait for a feed's row. */
const blockSize = 1000;
const maxFeeds = 10_000;

/** Numbers child batches. The numbers have gaps: a worker loses the ones it does not use. */
export interface ChildNumbers {
  /** Takes a number for each child of each result; skips results of feeds that do not exist. */
  take(results: readonly StepDone[]): Promise<Map<StepDone, number[]>>;
}

/** Takes numbers in transactions of their own: no transaction that records results locks its feed's row. */
export function createChildNumbers({ pool }: { pool: Pool }): ChildNumbers {
  const blocks = new LRUCache<string, { next: number; end: number }>({ max: maxFeeds });

  async function takeBlock(feedId: string): Promise<{ next: number; end: number } | undefined> {
    const { rows } = await pool.query<{ first: number }>(takeChildNumbers.with({ feed: feedId, count: blockSize }));
    const first = rows.at(0)?.first;
    if (first === undefined) return undefined;
    const block = { next: first, end: first + blockSize };
    blocks.set(feedId, block);
    return block;
  }

  async function takeNumbers(feedId: string, count: number): Promise<number[] | undefined> {
    const numbers: number[] = [];
    while (numbers.length < count) {
      const known = blocks.get(feedId);
      const block = known && known.next < known.end ? known : await takeBlock(feedId);
      if (!block) return undefined;
      while (numbers.length < count && block.next < block.end) numbers.push(block.next++);
    }
    return numbers;
  }

  return {
    take: async (results) => {
      const taken = new Map<StepDone, number[]>();
      for (const result of results) {
        const numbers = await takeNumbers(result.feedId, result.children.length);
        if (numbers) taken.set(result, numbers);
      }
      return taken;
    },
  };
}
