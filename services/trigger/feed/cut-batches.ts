import { PlainUsers, type PageUsers } from '../../../shared/domain/ids/page-users.ts';
import { areValidUserIds } from '../../../shared/domain/ids/user-id.ts';
import { invalidUserOf, type InvalidUser } from './invalid-user.ts';
import type { FedBatch } from '../ports/feed-store.ts';

export interface CutOptions {
  /** Maximum number of users per batch. */
  batchUsers: number;
  maxBatches: number;
  nextBatchNo: number;
  /** True if no users follow these. */
  isLast: boolean;
  /**
   * True if a partial batch may be taken although more users follow. The buffer is then full, so without this batch, no
   * more users could be fetched.
   */
  mustMove: boolean;
}

export interface Cut {
  batches: FedBatch[];
  /** Users among the taken ones whose ids are invalid, so that they can never be sent. */
  invalidUsers: InvalidUser[];
  /** Number of users, from the front, that the batches and `invalidUsers` contain. */
  taken: number;
  /** True if all users are taken and no users follow. */
  complete: boolean;
}

/**
 * Divides users into full batches, and leaves the remainder for later. If possible, a cut ends with a valid id, because
 * the last id becomes the feed's cursor, and an id with a lone surrogate cannot be sent in a request.
 */
export function cutBatches(users: PageUsers, options: CutOptions): Cut {
  if (users instanceof PlainUsers) return cutIntoSlices(users, options);
  // One more user than can be taken is included, because the end of the cut depends on the next user.
  const considered = users.slice(0, options.maxBatches * options.batchUsers + 1);
  return areValidUserIds(considered) ? cutIntoSlices(users, options) : cutOneByOne(users, options);
}

function cutIntoSlices(users: PageUsers, { batchUsers, maxBatches, nextBatchNo, isLast, mustMove }: CutOptions): Cut {
  const full = Math.min(Math.floor(users.length / batchUsers), maxBatches);
  const isBounded = full === maxBatches && users.length > full * batchUsers;
  const takesAll = !isBounded && (isLast || (mustMove && full === 0));
  const taken = takesAll ? users.length : full * batchUsers;
  const batches = Array.from({ length: Math.ceil(taken / batchUsers) }, (_, index) => ({
    batchNo: nextBatchNo + index,
    users: users.slice(index * batchUsers, (index + 1) * batchUsers),
  }));
  return { batches, invalidUsers: [], taken, complete: isLast && takesAll };
}

function cutOneByOne(users: readonly string[], options: CutOptions): Cut {
  const cut: Cut = { batches: [], invalidUsers: [], taken: 0, complete: false };
  let batch: string[] = [];
  let invalid: InvalidUser[] = [];

  const take = (end: number): void => {
    if (batch.length > 0) cut.batches.push({ batchNo: options.nextBatchNo + cut.batches.length, users: batch });
    cut.invalidUsers.push(...invalid);
    cut.taken = end;
    batch = [];
    invalid = [];
  };

  for (const [index, user] of users.entries()) {
    const broken = invalidUserOf(user);
    if (!broken && cut.batches.length === options.maxBatches) return cut;
    if (broken) invalid.push(broken);
    else batch.push(user);
    if (batch.length === options.batchUsers) take(index + 1);
  }
  if (options.isLast) {
    take(users.length);
    cut.complete = true;
  } else if (options.mustMove && cut.batches.length === 0 && options.maxBatches > 0) {
    take(users.length);
  }
  return cut;
}
