import { v7 as uuidv7 } from 'uuid';
import { firstChildBatchNo, usualBatchUsers } from '../../../shared/domain/step/batch.ts';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import { emptyFeed, laterThan, someFailure, type FeedSeed, type RunRows } from '../conformance/run-rows.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { holdKey } from './step-holds.ts';
import { addToFailureTotals, addToTotals } from './totals.ts';

const hourMs = 3_600_000;

export function createMemoryRunRows({ database }: { database: MemoryDatabase }): RunRows {
  const { runs, feeds, failures, clock } = database;

  return {
    addRun: (seed) =>
      atOnce(() => {
        const id = uuidv7();
        const optional = {
          startedAt: null,
          endedAt: null,
          stateReason: null,
          inFlight: 0,
          waiting: 0,
          waitingCause: null,
          settings: {},
          canary: null,
          failuresKept: true,
          parentId: null,
          retry: null,
          createdAt: clock.now(),
        };
        const { deadlineAt = laterThan(seed), stateSince = clock.now(), ...row } = seed;
        const waitingSince = seed.waitingCause === undefined ? null : clock.now();
        const rest = { deadlineAtMs: deadlineAt.getTime(), stateSince, waitingSince, failureBaseline: new Map() };
        runs.set(id, { id, ...rest, ...optional, ...row });
        return id;
      }),

    addFeed: (runId, seed) =>
      atOnce(() => {
        const { fedBatches, createdAt, estimate, segment, ...rest }: FeedSeed = { ...emptyFeed, ...seed };
        const feedId = uuidv7(createdAt && { msecs: createdAt.getTime() });
        const unowned = {
          cursor: null,
          owner: null,
          token: 0,
          leaseUntilMs: 0,
          stalledUntilMs: null,
          stalls: 0,
          stepUnits: null,
          usersAtMost: null,
          fromStep: 1,
          audience: segmentAlone({ segment, snapshot: 's1', estimate }),
        };
        const numbers = { batchUsers: usualBatchUsers, nextBatchNo: fedBatches + 1, nextChildNo: firstChildBatchNo };
        feeds.set(feedId, { feedId, runId, ...rest, ...unowned, ...numbers });
        return feedId;
      }),

    addTotals: (feedId, _slot, { step, ...added }) => atOnce(() => addToTotals(database, feedId, step, added)),

    addHold: (feedId, { ageMs, ...hold }) =>
      atOnce(() => {
        const nowMs = clock.nowMs();
        const { kind = 'fault' } = hold;
        const untilMs = kind === 'fault' ? null : nowMs + hourMs;
        const row = { feedId, ...hold, kind, sinceMs: nowMs - ageMs, nextTryAtMs: untilMs ?? nowMs, untilMs };
        database.holds.set(holdKey({ feedId, step: hold.step }, kind), row);
      }),

    addOpenBreaker: (runId, breaker) =>
      atOnce(() => {
        const row = { runId, kind: 'breaker' as const, ...breaker, sinceMs: clock.nowMs() };
        database.runTroubles.set(`${runId}/breaker/${row.step}/${row.country}`, row);
      }),

    addCause: (feedId, { ageMs, quietMs, ...cause }) =>
      atOnce(() => {
        const nowMs = clock.nowMs();
        const row = { feedId, ...cause, sinceMs: nowMs - ageMs, lastAtMs: nowMs - quietMs };
        database.stepCauses.set(`${feedId}/${cause.step}/${cause.cause}`, row);
      }),

    addFailure: (feedId, seed) =>
      atOnce(() => {
        const failure = { ...someFailure, ...seed };
        failures.push({ feedId, failedAt: clock.now(), ...failure });
        addToFailureTotals(database, feedId, failure.step, failure);
      }),
  };
}
