import type { EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import { isPlain, usersOf, withoutUsers, type UsersText } from '../../../shared/domain/step/users-text.ts';
import type { ClaimedStep, Contradiction, StepDone, StepLedger } from '../../../shared/ports/step-ledger.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { FeedDirectory } from './feed-directory.ts';
import type { ClaimedWork, QueuedStep, Work } from '../step/work.ts';

export interface Claimed {
  queued: QueuedStep;
  claim: ClaimedStep;
  /** Number of remaining users according to the rows; undefined if the message agrees with the rows. */
  contradicted: Contradiction['truth'] | undefined;
}

export interface PrepareWorkDeps {
  shards: ReadonlyMap<string, Shard>;
  actionTypes: EngineConfig['actionTypes'];
  directory: FeedDirectory;
  ledger: StepLedger;
  logger: Logger;
}

/**
 * Prepared claims. `unsure` contains the works whose lost users could not be read, so that they can only be released.
 */
export interface Prepared extends ClaimedWork {
  /** Claims that cannot be prepared, because of a bug in this worker or a broken row. */
  broken: { claimed: Claimed; error: unknown }[];
}

/**
 * Prepares claims as work: removes the users whom earlier steps have lost from the batch's text. The lost users are
 * those in the message. If the message does not list them, or if the rows contradict the message, they are read from
 * the database. In both cases, the number of remaining users must match the row of the step before.
 */
export async function prepareWork(
  claimed: readonly Claimed[],
  claimedAtMs: number,
  deps: PrepareWorkDeps,
): Promise<Prepared> {
  const prepared: Prepared = { works: [], unsure: [], broken: [] };
  const unverified: Claimed[] = [];
  const prepare = (entry: Claimed, lost: readonly string[] | undefined): Work | undefined => {
    try {
      return workOf(entry, lost, claimedAtMs, deps);
    } catch (error) {
      prepared.broken.push({ claimed: entry, error });
      return undefined;
    }
  };
  for (const entry of claimed) {
    const { lost } = entry.queued;
    const work = lost && !entry.contradicted ? prepare(entry, lost) : null;
    if (work) prepared.works.push(work);
    else if (work === null) unverified.push(entry);
  }
  if (unverified.length === 0) return prepared;
  const lost = await lostUsersOf(unverified, deps);
  unverified.forEach((entry, index) => {
    const work = prepare(entry, lost?.[index]);
    if (work) (lost ? prepared.works : prepared.unsure).push(work);
  });
  return prepared;
}

async function lostUsersOf(unverified: readonly Claimed[], { ledger, logger }: PrepareWorkDeps) {
  try {
    return await ledger.lostUsers(unverified.map(({ claim }) => claim));
  } catch (error) {
    logger.warn({ err: error, steps: unverified.length }, 'could not read lost users, giving the steps back');
    return undefined;
  }
}

/** @param lost undefined if the lost users could not be read; the work can then only be released */
function workOf(
  { queued, claim, contradicted }: Claimed,
  lost: readonly string[] | undefined,
  claimedAtMs: number,
  { shards, actionTypes, directory }: PrepareWorkDeps,
): Work {
  const { topic, origin } = queued;
  const actionType = shards.get(topic)?.actionType ?? '';
  const context = directory.contextOf(claim.feedId);
  const type = actionTypes[actionType];
  if (!context || !type) throw new Error(`nothing is known of feed ${claim.feedId} or of the shard ${topic}`);
  const users = withoutUsers(claim.users, lost ?? []);
  const plain = isPlain(users);
  // If no user was removed, the users need not be counted, because their number is stored with the batch.
  const count = users === claim.users ? claim.size : countUsers(users, plain);
  const remaining = contradicted?.remaining ?? queued.remaining;
  if (lost && count !== remaining)
    throw new Error(`rows disagree: ${count} users are left, and should be ${remaining}`);
  return {
    claim,
    context,
    standing: directory.standingOf(claim.feedId, claim.step),
    topic,
    actionType,
    type,
    origin,
    lost: lost ?? [],
    claimedAtMs,
    users,
    count,
    plain,
    isProbe: false,
  };
}

/**
 * Returns the work of a child batch. The list of lost users is empty, because a child batch contains only users who
 * remained.
 */
function childWork(parent: Work, claim: ClaimedStep, claimedAtMs: number, isProbe: boolean): Work {
  const { users } = claim;
  const plain = isPlain(users);
  return { ...parent, claim, origin: null, lost: [], claimedAtMs, users, count: claim.size, plain, isProbe };
}

/** Returns the works of child batches that were claimed when they were created. Single users of a trial come first. */
export function childWorks(
  parent: Work,
  result: StepDone,
  claims: readonly ClaimedStep[],
  claimedAtMs: number,
): Work[] {
  const { trial } = parent.standing;
  const probes = trial?.begunBy === result ? trial.probes : 0;
  return claims.map((claim, index) => childWork(parent, claim, claimedAtMs, index < probes));
}

export function countUsers(users: UsersText, plain: boolean): number {
  if (!plain) return usersOf(users).length;
  if (users === '') return 0;
  let count = 1;
  for (let border = users.indexOf('","'); border >= 0; border = users.indexOf('","', border + 3)) count++;
  return count;
}
