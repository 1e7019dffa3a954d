import { idsOf } from '../../../shared/domain/ids/page-users.ts';
import type { FedPages } from '../../../services/trigger/ports/feed-store.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { allActionTypes, suppressionDetail } from '../../../shared/domain/step/suppressions.ts';
import type { FeedRow } from './feed-tables.ts';
import { stepKey, type MemoryDatabase } from './memory-database.ts';
import { definitionOf } from './run-definitions.ts';
import { addToFailureTotals, addToTotals } from './totals.ts';

/** Ends all steps of these batches without calls: all users succeed who are on no suppression list. */
export function sinkPages(database: MemoryDatabase, row: FeedRow, { batches, sink }: FedPages): void {
  const run = database.runs.get(row.runId);
  if (!run) throw new Error(`feed ${row.feedId} belongs to no run`);
  row.sharedUsers = (row.sharedUsers ?? 0) + (sink?.shared ?? 0);
  const { chain } = definitionOf(database, run);
  for (const { batchNo, users } of batches) {
    let left = idsOf(users);
    for (const [index, { action }] of chain.entries()) {
      if (left.length === 0) break;
      left = sinkStep(database, { feedId: row.feedId, batchNo, step: index + 1, users: left, action });
    }
  }
}

interface SunkStep {
  feedId: string;
  batchNo: number;
  step: number;
  users: readonly string[];
  action: string;
}

function sinkStep(database: MemoryDatabase, { users, action, ...key }: SunkStep): readonly string[] {
  const { feedId, batchNo, step } = key;
  const { suppressionLists, clock } = database;
  const listOf = (user: string) => [action, allActionTypes].find((list) => suppressionLists.get(list)?.has(user));
  const left = users.filter((user) => listOf(user) === undefined);
  for (const user of users) {
    const list = listOf(user);
    if (list === undefined) continue;
    const detail = suppressionDetail(list, suppressionLists.get(list)?.get(user) ?? null);
    const why = { outcome: 'suppressed', reason: reasons.suppressionList, detail } as const;
    database.failures.push({ ...key, user, ...why, attempts: 0, failedAt: clock.now() });
    addToFailureTotals(database, feedId, step, { user, ...why });
  }
  database.steps.set(stepKey(feedId, batchNo, step), {
    ...key,
    state: 'done',
    owner: null,
    epoch: 1,
    attempts: 0,
    open: false,
    lapses: 0,
    begun: false,
    leaseUntilMs: clock.nowMs(),
    nextAttemptAtMs: null,
    lostDigest: null,
    cause: null,
    rest: 'succeeded',
    restUsers: left.length,
  });
  const suppressed = users.length - left.length;
  const survived = left.length > 0 ? 1 : 0;
  addToTotals(database, feedId, step, { batches: 1, succeeded: left.length, suppressed, done: 1, survived });
  return left;
}
