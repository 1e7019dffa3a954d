import type { EngineConfig } from '../../shared/contracts/engine-config.ts';
import { isPlain, usersOf, withoutUsers, type UsersText } from '../../shared/domain/users-text.ts';
import type { ClaimedStep, StepLedger } from '../../shared/ports/step-ledger.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { FeedDirectory } from './feed-directory.ts';
import type { QueuedStep, Work } from './work.ts';

export interface Claimed {
  queued: QueuedStep;
  claim: ClaimedStep;
}

export interface PrepareWorkDeps {
  actionTypes: EngineConfig['actionTypes'];
  directory: FeedDirectory;
  ledger: StepLedger;
  logger: Logger;
}

export interface Prepared {
  works: Work[];
  /** Whom the chain has lost could not be read: to be given back. */
  unreadable: Work[];
}

/**
 * Claims become work: the users that the chain has lost are cut out of the batch's text. Whom it lost stands in the record, or is read where
 * the record does not say it or does not add up.
 */
export async function prepareWork(
  claimed: readonly Claimed[],
  claimedAtMs: number,
  { actionTypes, directory, ledger, logger }: PrepareWorkDeps,
): Promise<Prepared> {
  const works: Work[] = [];
  const unverified: Claimed[] = [];
  const workOf = ({ queued, claim }: Claimed, lost: readonly string[]): Work => {
    const { actionType, origin } = queued;
    const context = directory.contextOf(claim.feedId);
    const type = actionTypes[actionType];
    if (!context || !type) throw new Error(`nothing is known of feed ${claim.feedId} or action type ${actionType}`);
    const users = withoutUsers(claim.users, lost);
    const plain = isPlain(users);
    // Nobody was cut out: the size that was fed with the batch need not be counted again.
    const count = users === claim.users ? claim.size : countUsers(users, plain);
    return { claim, context, actionType, type, origin, lost, claimedAtMs, users, count, plain };
  };
  for (const entry of claimed) {
    const work = entry.queued.lost ? workOf(entry, entry.queued.lost) : undefined;
    if (work?.count === entry.queued.remaining) works.push(work);
    else unverified.push(entry);
  }
  if (unverified.length === 0) return { works, unreadable: [] };
  try {
    const lost = await ledger.lostUsers(unverified.map(({ claim }) => claim));
    works.push(...unverified.map((entry, index) => workOf(entry, lost[index] ?? [])));
    return { works, unreadable: [] };
  } catch (error) {
    logger.warn({ err: error, steps: unverified.length }, 'could not read lost users, giving the steps back');
    return { works, unreadable: unverified.map((entry) => workOf(entry, [])) };
  }
}

function countUsers(users: UsersText, plain: boolean): number {
  if (!plain) return usersOf(users).length;
  if (users === '') return 0;
  let count = 1;
  for (let border = users.indexOf('","'); border >= 0; border = users.indexOf('","', border + 3)) count++;
  return count;
}
