import type { EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { modeOfStep } from '../../../shared/domain/run/run-kinds.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { backoffMs } from '../../../shared/domain/retry.ts';
import type { SettledUser, Settlements, StatusSettlement, UnknownUser } from '../../../shared/ports/settlements.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { readStatus, type UserStatus } from '../endpoint/read-status.ts';
import type { BatchEndpoint } from '../endpoint/batch-endpoint.port.ts';

/** People asked for it, and may wait a moment; a worker that has nothing to settle looks this often. */
const lookEveryMs = 10_000;
const leaseMs = 120_000;
/** No more than a batch may hold. */
const usersPerQuestion = 100;
const askAgain = { firstDelayMs: 1000, maxDelayMs: 60_000 };
/** Then it ends as failed, and a person has to look. */
const maxTries = 6;

export interface StatusSettlerDeps {
  settlements: Settlements;
  endpoint: BatchEndpoint;
  /** As they are now. */
  actionTypes: () => EngineConfig['actionTypes'];
  owner: string;
  /** In [0, 1). */
  random: () => number;
  logger: Logger;
}

/**
 * Settles unknown outcomes of runs that have ended by asking the status endpoints (class C), in the background, page by
 * page. What a page settled stays settled whatever follows.
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
    // What was lost right before the run ended may still be applied: "not found" would be no promise.
    if (lateMs > 0) {
      await settlements.putOff(settlementId, owner, lateMs, null);
      return;
    }
    for (;;) {
      const page = await settlements.unknownUsers(settlement, usersPerQuestion);
      const last = page.at(-1);
      if (!last) break;
      const asked = await askPage(page, settlement, deps);
      if ('cause' in asked) {
        await giveUp(settlement, asked.cause);
        return;
      }
      const left = page.length - asked.users.length;
      await settlements.settle({ settlementId, runId }, asked.users, { leftUnknown: left });
      if (!(await settlements.moveOn(settlementId, owner, last))) return;
    }
    await settlements.endByStatus(settlementId, owner, { state: 'done', cause: null });
    logger.info({ settlementId, runId }, 'unknown outcomes were asked for');
  }

  async function giveUp({ settlementId, runId, tries }: StatusSettlement, cause: string): Promise<void> {
    logger.warn({ settlementId, runId, cause, tries }, 'could not ask for unknown outcomes');
    if (tries + 1 >= maxTries) await settlements.endByStatus(settlementId, owner, { state: 'failed', cause });
    else await settlements.putOff(settlementId, owner, backoffMs(askAgain, tries + 1, deps.random()), cause);
  }

  async function turn(): Promise<number> {
    const settlement = await settlements.claimByStatus(owner, leaseMs);
    if (!settlement) return lookEveryMs;
    await goOn(settlement);
    return 0;
  }

  return { turn };
}

/** How long after a run's end a call of any of its class C actions may still be applied. */
function latestMs({ chain }: StatusSettlement, deps: StatusSettlerDeps): number {
  const actionTypes = deps.actionTypes();
  return Math.max(0, ...chain.map((action) => (actionTypes[action]?.appliesLateSeconds ?? 0) * 1000));
}

/** Users that the endpoints reported, settled; others stay unknown. Or why no endpoint could be asked. */
async function askPage(
  page: readonly UnknownUser[],
  { runId, chain, stepModes }: StatusSettlement,
  { endpoint, ...deps }: StatusSettlerDeps,
): Promise<{ users: SettledUser[] } | { cause: string }> {
  const actionTypes = deps.actionTypes();
  const users: SettledUser[] = [];
  for (const [step, unknown] of Map.groupBy(page, (each) => each.step)) {
    const actionType = chain[step - 1] ?? '';
    // Only class C can be asked: the others of the chain are settled by file or by hand.
    if (actionTypes[actionType]?.class !== 'C') continue;
    const asked = unknown.map(({ user }) => user);
    const body = Buffer.from(JSON.stringify({ run: publicId('run', runId), step, users: asked }));
    const of = { actionType, country: unknown[0]?.country ?? '', mode: modeOfStep(stepModes, step) };
    const read = readStatus(asked, await endpoint.askStatus({ ...of, body }));
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
