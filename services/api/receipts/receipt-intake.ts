import { HttpProblem } from '../frame/http-problem.ts';
import type { Receipt, ReceiptStore, ReceiptVerdict } from './postgres/receipt-store.ts';

/**
 * Maximum number of receipts in a statement. A request is never split, so a larger request has a statement of its own.
 */
const maxGroup = 2000;
/** Maximum number of waiting receipts. It bounds memory and waiting time. */
const maxWaiting = 20_000;

export interface ReceiptIntakeDeps {
  book: Pick<ReceiptStore, 'record'>;
}

export interface ReceiptIntake {
  /**
   * Adds receipts. Resolves with one result for each receipt once they are committed.
   * @throws {HttpProblem} 429 if too many receipts are waiting
   */
  add(receipts: readonly Receipt[]): Promise<ReceiptVerdict[]>;
}

interface Waiting {
  receipts: readonly Receipt[];
  resolve: (verdicts: ReceiptVerdict[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Creates an intake that groups concurrent requests: the first request is written at once, and requests that arrive
 * meanwhile are written together next. One commit then serves many requests, and a single request does not wait.
 */
export function createReceiptIntake({ book }: ReceiptIntakeDeps): ReceiptIntake {
  let queue: Waiting[] = [];
  let waiting = 0;
  let isWriting = false;

  function nextGroup(): Waiting[] {
    let size = 0;
    const fits = queue.findIndex(({ receipts }) => (size += receipts.length) > maxGroup);
    const count = fits < 0 ? queue.length : Math.max(1, fits);
    const group = queue.slice(0, count);
    queue = queue.slice(count);
    waiting -= group.reduce((sum, { receipts }) => sum + receipts.length, 0);
    return group;
  }

  async function write(group: readonly Waiting[]): Promise<void> {
    try {
      const verdicts = await book.record(group.flatMap(({ receipts }) => receipts));
      let from = 0;
      for (const { receipts, resolve } of group) resolve(verdicts.slice(from, (from += receipts.length)));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (queue.length > 0) await write(nextGroup());
    isWriting = false;
  }

  return {
    add: (receipts) => {
      if (receipts.length === 0) return Promise.resolve([]);
      if (waiting + receipts.length > maxWaiting) return Promise.reject(tooMany());
      waiting += receipts.length;
      const { promise, resolve, reject } = Promise.withResolvers<ReceiptVerdict[]>();
      queue.push({ receipts, resolve, reject });
      if (!isWriting) void writeAll();
      return promise;
    },
  };
}

function tooMany(): HttpProblem {
  const detail = `more than ${maxWaiting} receipts wait to be stored; send these again after retry-after`;
  return new HttpProblem({ status: 429, code: 'too-many-receipts', detail, headers: { 'retry-after': '1' } });
}
