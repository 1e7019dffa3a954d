import type { EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { modeOfStep } from '../../../shared/domain/run/run-kinds.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { backoffMs } from '../../../shared/domain/retry.ts';
import type { SettledUser, Settlements, StatusSettlement, UnknownUser } from '../../../shared/ports/settlements.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { readStatus, type UserStatus } from '../endpoint/read-status.ts';
import type { BatchEndpoint } from '../endpoint/batch-endpoint.port.ts';

/**
 * Milliseconds until the next check while no settlement is open. A person who requests a settlement waits up to this
 * long.
 */
const pollEveryMs = 10_000;
const leaseMs = 120_000;
/** Maximum number of users per status request, within the limit of a batch. */
const usersPerStatusRequest = 100;
const statusRetryBackoff = { firstDelayMs: 1000, maxDelayMs: 60_000 };
/** Number of failed tries after which the settlement ends as failed, so that a person must act. */
const maxTries = 6;

export interface StatusSettlerDeps {
  settlements: Settlements;
  endpoint: BatchEndpoint;
  actionTypes: () => EngineConfig['actionTypes'];
  owner: string;
  /** Random number in [0, 1). */
  random: () => number;
  logger: Logger;
}

/**
 * Loop that settles unknown outcomes of ended runs by status requests (class C), page by page. If a later page fails,
 * earlier pages stay settled.
 */
export interface StatusSettler {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createStatusSettler(deps: StatusSettlerDeps): StatusSettler {
  const { settlements, owner, logger } = deps;

  async function goOn(settlement: StatusSettlement): Promise<void> {
    const { settlementId, runId } = settlement;
    const lateMs = latestMs(settlement, deps) - settlement.endedMsAgo;
    // A call that was lost right before the end of the run may still be applied. Until that is excluded, the answer
    // "not found" is not reliable, so the settlement waits.
    if (lateMs > 0) {
      await settlements.putOff(settlementId, owner, lateMs, null);
      return;
    }
    for (;;) {
      const page = await settlements.unknownUsers(settlement, usersPerStatusRequest);
      const last = page.at(-1);
      if (!last) break;
      const answer = await askPage(page, settlement, deps);
      if ('cause' in answer) {
        await giveUp(settlement, answer.cause);
        return;
      }
      const left = page.length - answer.users.length;
      await settlements.settle({ settlementId, runId }, answer.users, { leftUnknown: left });
      if (!(await settlements.moveOn(settlementId, owner, last))) return;
    }
    await settlements.endByStatus(settlementId, owner, { state: 'done', cause: null });
    logger.info({ settlementId, runId }, 'unknown outcomes were asked for');
  }

  async function giveUp({ settlementId, runId, tries }: StatusSettlement, cause: string): Promise<void> {
    logger.warn({ settlementId, runId, cause, tries }, 'could not ask for unknown outcomes');
    if (tries + 1 >= maxTries) await settlements.endByStatus(settlementId, owner, { state: 'failed', cause });
    else await settlements.putOff(settlementId, owner, backoffMs(statusRetryBackoff, tries + 1, deps.random()), cause);
  }

  async function turn(): Promise<number> {
    const settlement = await settlements.claimByStatus(owner, leaseMs);
    if (!settlement) return pollEveryMs;
    await goOn(settlement);
    return 0;
  }

  return { turn };
}

/** Returns the milliseconds after a run's end during which a call of its class C actions may still be applied. */
function latestMs({ chain }: StatusSettlement, deps: StatusSettlerDeps): number {
  const actionTypes = deps.actionTypes();
  return Math.max(0, ...chain.map((action) => (actionTypes[action]?.appliesLateSeconds ?? 0) * 1000));
}

/** Returns the users that the endpoints have settled, or the cause for which the status could not be requested. */
async function askPage(
  page: readonly UnknownUser[],
  { runId, chain, stepModes }: StatusSettlement,
  { endpoint, ...deps }: StatusSettlerDeps,
): Promise<{ users: SettledUser[] } | { cause: string }> {
  const actionTypes = deps.actionTypes();
  const users: SettledUser[] = [];
  for (const [step, unknown] of Map.groupBy(page, (each) => each.step)) {
    const actionType = chain[step - 1] ?? '';
    // Only class C has status requests. Unknown users of other steps are settled by a file or by hand.
    if (actionTypes[actionType]?.class !== 'C') continue;
    const userIds = unknown.map(({ user }) => user);
    const body = Buffer.from(JSON.stringify({ run: publicId('run', runId), step, users: userIds }));
    const mode = modeOfStep(stepModes, step);
    const read = readStatus(userIds, await endpoint.askStatus({ actionType, mode, body }));
    if (read.kind === 'unanswered') return { cause: read.cause };
    for (const each of unknown) users.push(...settledBy(each, read.statuses.get(each.user)));
  }
  return { users };
}

function settledBy({ user, step, country }: UnknownUser, status: UserStatus | undefined): SettledUser[] {
  const settled = { user, step, country, detail: null };
  switch (status?.status) {
    case 'succeeded':
      return [{ ...settled, outcome: 'succeeded', reason: reasons.settled }];
    case 'failed':
      return [{ ...settled, outcome: 'failed', reason: status.code }];
    case 'not-found':
      return [{ ...settled, outcome: 'failed', reason: reasons.neverApplied }];
    default:
      return [];
  }
}
