import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { KeptKind, Retention } from './retention-store.port.ts';

const lookEveryMs = 3_600_000;
/** While there is more to delete. */
const betweenChunksMs = 1000;
/** The rows of a chunk are locked and logged at once. */
const rowsPerChunk = 5000;
const runsPerChunk = 50;
const listsPerChunk = 20;

const answerDays = 1;
const deadLetterDays = 30;

/** Days after a run has ended; 0 keeps for ever. */
export interface RetentionDays extends Record<KeptKind | 'runs', number> {
  /** Days after a list was uploaded, and longer where a campaign still needs it. */
  audiences: number;
}

export interface RetentionDeps {
  retention: Retention;
  days: RetentionDays;
  /** Whether this trigger is the one that sweeps. */
  isSweeper: () => boolean;
  clock: Clock;
  logger: Logger;
}

const kinds = ['users', 'steps', 'failures'] as const;

/** Makes partitions ahead and lets old rows go. What comes back is a loop's turn. */
export function createRetention({ retention, days, isSweeper, clock, logger }: RetentionDeps): () => Promise<number> {
  const runDays = daysOfRuns(days);
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  async function dropWeeks(): Promise<void> {
    const made = await retention.makeAhead();
    if (made > 0) logger.info({ weeks: made }, 'made partitions for the coming weeks');
    for (const kind of kinds) {
      if (days[kind] === 0) continue;
      const dropped = await retention.dropWeeks(kind, days[kind]);
      if (dropped > 0) logger.info({ kind, weeks: dropped, days: days[kind] }, 'dropped old weeks');
    }
  }

  /** True when a chunk was full: there may be more. */
  async function deleteChunk(): Promise<boolean> {
    const isFull: boolean[] = [];
    for (const kind of kinds) {
      if (days[kind] > 0) isFull.push((await retention.deleteStrays(kind, days[kind], rowsPerChunk)) === rowsPerChunk);
    }
    if (runDays > 0) {
      isFull.push((await retention.deleteRuns(runDays, runsPerChunk)) === runsPerChunk);
      isFull.push((await retention.deleteChanges(runDays, rowsPerChunk)) === rowsPerChunk);
    }
    if (days.audiences > 0) {
      isFull.push((await retention.deleteAudiences(days.audiences, listsPerChunk)) === listsPerChunk);
    }
    isFull.push((await retention.deleteAnswers(answerDays, rowsPerChunk)) === rowsPerChunk);
    isFull.push((await retention.deleteSessions(rowsPerChunk)) === rowsPerChunk);
    isFull.push((await retention.deleteDeadLetters(deadLetterDays, rowsPerChunk)) === rowsPerChunk);
    return isFull.includes(true);
  }

  return async () => {
    if (!isSweeper()) return betweenChunksMs;
    const startedMs = clock.monotonicMs();
    const lost = await retention.failLostUploads();
    if (lost > 0) logger.warn({ lists: lost }, 'uploads whose receiver has died have failed');
    if (startedMs - lookedAtMs >= lookEveryMs) {
      await dropWeeks();
      lookedAtMs = startedMs;
    }
    if (await deleteChunk()) return betweenChunksMs;
    return lookedAtMs + lookEveryMs - startedMs;
  };
}

/** Figures outlive what they are the figures of. */
function daysOfRuns({ runs, users, steps, failures }: RetentionDays): number {
  const all = [runs, users, steps, failures];
  return all.includes(0) ? 0 : Math.max(...all);
}
