import type {
  FeedWindow,
  UnstartedInFeed,
  UnstartedSteps,
} from '../../../services/worker/intake/unstarted-steps.port.ts';
import { atOnce } from './at-once.ts';
import { batchKey, type MemoryDatabase } from './memory-database.ts';
import { windowPlaceOf } from './outbox-sweep.ts';

const windowBatches = 2000;

export function createMemoryUnstartedSteps({ database }: { database: MemoryDatabase }): UnstartedSteps {
  return {
    find: (windows, stepsPerFeed) => atOnce(() => windows.flatMap((window) => findIn(database, window, stepsPerFeed))),
  };
}

function findIn(database: MemoryDatabase, { feedId, chainLength, from }: FeedWindow, limit: number): UnstartedInFeed[] {
  const { feeds, runs, batches, agenda, sweepMarks, clock } = database;
  const feed = feeds.get(feedId);
  const run = feed && runs.get(feed.runId);
  if (!feed || run?.state !== 'running' || run.deadlineAtMs <= clock.nowMs()) return [];
  const low = Math.max(sweepMarks.get(`${feedId}/${chainLength}`) ?? 1, from);
  const behind = Math.min(feed.nextBatchNo, low + windowBatches);
  const listed = new Set([...agenda.values()].flatMap((row) => (row.feedId === feedId ? [row.batchNo] : [])));
  const steps: UnstartedInFeed['steps'] = [];
  for (let batchNo = low; batchNo < behind && steps.length < limit; batchNo++) {
    const { place, step, row } = windowPlaceOf(database, feedId, batchNo, chainLength);
    const batch = batches.get(batchKey(feedId, batchNo));
    if (place !== 'unrecorded' || listed.has(batchNo) || !batch) continue;
    steps.push({
      feedId,
      batchNo,
      step,
      remaining: row?.restUsers ?? batch.users.length,
      isFirst: step === feed.fromStep,
    });
  }
  return [{ feedId, steps, next: behind < feed.nextBatchNo ? behind : null }];
}
