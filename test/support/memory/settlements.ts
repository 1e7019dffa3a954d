import type { SettlementRequests } from '../../../services/api/trouble/settlement-requests.port.ts';
import type { SettledUser, Settlements, SettlementVerdict, UnknownUser } from '../../../shared/ports/settlements.ts';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { FailureRow, SettlementRequestRow } from './step-tables.ts';
import { addToFailureTotals, addToTotals } from './totals.ts';

export function createMemorySettlements({ database }: { database: MemoryDatabase }): Settlements {
  const { settlementRequests, clock } = database;
  const heldBy = (id: string, owner: string) => {
    const row = settlementRequests.get(id);
    return row?.owner === owner && row.state === 'running' ? row : undefined;
  };

  return {
    settle: ({ settlementId, runId }, users, more = {}) =>
      atOnce(() => {
        const isEnded = (database.runs.get(runId)?.endedAt ?? null) !== null;
        const request = settlementRequests.get(settlementId);
        const verdicts = users.map((user) =>
          isEnded ? settleOne(database, settlementId, runId, user) : 'not-unknown',
        );
        if (request) {
          const settled = users.filter((_, index) => verdicts[index] === 'settled');
          request.counts.succeeded += settled.filter(({ outcome }) => outcome === 'succeeded').length;
          request.counts.failed += settled.filter(({ outcome }) => outcome === 'failed').length;
          request.counts.leftUnknown += more.leftUnknown ?? 0;
          request.counts.rejected += more.rejected ?? 0;
        }
        return verdicts;
      }),
    claimByStatus: (owner, leaseMs) =>
      atOnce(() => {
        const nowMs = clock.nowMs();
        const row = [...settlementRequests.values()]
          .filter(({ state, method }) => state === 'running' && method === 'status')
          .filter(({ leaseUntilMs, nextAtMs }) => leaseUntilMs < nowMs && nextAtMs <= nowMs)
          .sort((a, b) => (a.settlementId < b.settlementId ? -1 : 1))
          .at(0);
        if (!row) return null;
        Object.assign(row, { owner, leaseUntilMs: nowMs + leaseMs });
        const run = database.runs.get(row.runId);
        const chain = database.campaigns.get(run?.campaignId ?? '')?.definition.chain.map(({ action }) => action) ?? [];
        const { settlementId, runId, step, country, tries } = row;
        return {
          settlementId,
          runId,
          step,
          country,
          tries,
          chain,
          endedMsAgo: nowMs - (run?.endedAt?.getTime() ?? nowMs),
        };
      }),
    unknownUsers: ({ settlementId }, limit) =>
      atOnce(() => {
        const row = settlementRequests.get(settlementId);
        return row ? unknownBehind(database, row).slice(0, limit) : [];
      }),
    moveOn: (settlementId, owner, { feedId, user, step }) =>
      atOnce(() => {
        const row = heldBy(settlementId, owner);
        if (!row) return false;
        Object.assign(row, { cursor: { feedId, user, step }, tries: 0, leaseUntilMs: row.leaseUntilMs + 10_000 });
        return true;
      }),
    putOff: (settlementId, owner, delayMs, cause) =>
      atOnce(() => {
        const row = heldBy(settlementId, owner);
        if (!row) return;
        const tries = row.tries + (cause === null ? 0 : 1);
        Object.assign(row, { owner: null, leaseUntilMs: 0, nextAtMs: clock.nowMs() + delayMs, cause, tries });
      }),
    endByStatus: (settlementId, owner, { state, cause }) =>
      atOnce(() => {
        const row = heldBy(settlementId, owner);
        if (row) Object.assign(row, { state, cause, owner: null, endedAt: clock.now() });
      }),
  };
}

export function createMemorySettlementRequests({ database }: { database: MemoryDatabase }): SettlementRequests {
  const { settlementRequests, clock, runs } = database;
  return {
    begin: (settlement) =>
      atOnce(() => {
        const known = settlementRequests.get(settlement.settlementId);
        if (known) return shown(known);
        if ((runs.get(settlement.runId)?.endedAt ?? null) === null) return undefined;
        const row: SettlementRequestRow = { ...settlement, ...unbegun(), createdAt: clock.now() };
        settlementRequests.set(settlement.settlementId, row);
        return shown(row);
      }),
    end: (settlementId, end) =>
      atOnce(() => {
        const row = settlementRequests.get(settlementId);
        if (row?.state === 'running') Object.assign(row, { ...end, endedAt: clock.now() });
      }),
    get: (runId, settlementId) =>
      atOnce(() => {
        const row = settlementRequests.get(settlementId);
        return row?.runId === runId ? shown(row) : undefined;
      }),
    list: (runId, limit) =>
      atOnce(() =>
        [...settlementRequests.values()]
          .filter((row) => row.runId === runId)
          .sort((a, b) => (a.settlementId < b.settlementId ? 1 : -1))
          .slice(0, limit)
          .map(shown),
      ),
  };
}

function shown(row: SettlementRequestRow) {
  const { settlementId, runId, method, apiKey, step, country, state, cause, counts, rejects, createdAt, endedAt } = row;
  const what = { settlementId, runId, method, apiKey, step, country };
  return { ...what, state, cause, counts: { ...counts }, rejects: [...rejects], createdAt, endedAt };
}

function unbegun() {
  return {
    state: 'running' as const,
    cause: null,
    counts: { succeeded: 0, failed: 0, leftUnknown: 0, rejected: 0 },
    rejects: [],
    endedAt: null,
    owner: null,
    leaseUntilMs: 0,
    nextAtMs: 0,
    cursor: null,
    tries: 0,
  };
}

function settleOne(
  database: MemoryDatabase,
  settlementId: string,
  runId: string,
  settled: SettledUser,
): SettlementVerdict {
  const { user, step, country, outcome, reason, detail } = settled;
  const feeds = [...database.feeds.values()].filter(
    (feed) => feed.runId === runId && (country === null || feed.country === country),
  );
  const isOf = (row: { feedId: string; user: string; step: number }) =>
    row.user === user && row.step === step && feeds.some(({ feedId }) => feedId === row.feedId);
  const rows = database.failures.filter((row) => isOf(row) && row.outcome === 'unknown');
  if (rows.length === 0) {
    const before = database.settlements.find(isOf);
    if (!before) return 'not-unknown';
    return before.outcome === outcome ? 'already' : 'otherwise';
  }
  for (const row of rows) {
    const { feedId, batchNo } = row;
    const was = { reason: row.reason, detail: row.detail };
    database.settlements.push({ feedId, batchNo, step, user, settlementId, was, outcome, reason, detail });
    moveTotals(database, row, settled);
    Object.assign(row, { outcome, reason, detail });
  }
  return 'settled';
}

function moveTotals(database: MemoryDatabase, { feedId, step, reason: was }: FailureRow, settled: SettledUser): void {
  const { user, outcome, reason } = settled;
  const unknown = database.failureTotals.get(`${feedId}/${step}/unknown/${was}`);
  if (unknown) {
    unknown.users--;
    unknown.sample = unknown.sample.filter((each) => each !== user);
  }
  if (outcome === 'failed') addToFailureTotals(database, feedId, step, { user, outcome, reason });
  const isSucceeded = outcome === 'succeeded';
  addToTotals(database, feedId, step, {
    unknown: -1,
    succeeded: isSucceeded ? 1 : 0,
    failed: isSucceeded ? 0 : 1,
    settledSucceeded: isSucceeded ? 1 : 0,
    settledFailed: isSucceeded ? 0 : 1,
  });
}

function unknownBehind(
  database: MemoryDatabase,
  { runId, step, country, cursor }: SettlementRequestRow,
): UnknownUser[] {
  return database.failures
    .flatMap((row) => {
      const feed = database.feeds.get(row.feedId);
      if (feed?.runId !== runId || row.outcome !== 'unknown') return [];
      if ((step !== null && row.step !== step) || (country !== null && feed.country !== country)) return [];
      return [{ feedId: row.feedId, country: feed.country, step: row.step, user: row.user }];
    })
    .filter((row) => cursor === null || comparePlaces(row, cursor) > 0)
    .sort(comparePlaces);
}

type Place = Pick<UnknownUser, 'feedId' | 'user' | 'step'>;

function comparePlaces(a: Place, b: Place): number {
  if (a.feedId !== b.feedId) return a.feedId < b.feedId ? -1 : 1;
  return compareUserIds(a.user, b.user) || a.step - b.step;
}
