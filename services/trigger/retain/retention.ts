import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { TriggerFigures } from '../report/trigger-figures.ts';
import type { KeptKind, Retention } from '../ports/retention-store.ts';

const lookEveryMs = 3_600_000;
/** Time in milliseconds until the next attempt if a long-running reader prevented the change of weeks. */
const againAfterMs = 300_000;
/** Pause while more rows are to be deleted. */
const betweenChunksMs = 1000;
/** A chunk is small because its rows are locked and logged at once. */
const rowsPerChunk = 5000;
const runsPerChunk = 50;
const listsPerChunk = 20;

const answerDays = 1;
/** Days for rows of dry runs: they have no later use, and there may be as many as of a live run. */
const dryRunDays = 1;
const deadLetterDays = 30;

/** Days after the end of a run for which its rows are kept; 0 means without limit. */
export interface RetentionDays extends Record<KeptKind | 'runs', number> {
  /**
   * Days for which an uploaded list is kept after its upload; longer while a campaign needs the list. Records of
   * suppression uploads are kept for the same number of days after their end.
   */
  audiences: number;
}

export interface RetentionDeps {
  retention: Retention;
  days: RetentionDays;
  isSweeper: () => boolean;
  figures: Pick<TriggerFigures, 'heldUp'>;
  clock: Clock;
  logger: Logger;
}

const kinds = ['users', 'receipts', 'steps', 'failures'] as const;

/** Creates partitions ahead and deletes old rows. Returns a loop's turn. */
export function createRetention({
  retention,
  days,
  isSweeper,
  figures,
  clock,
  logger,
}: RetentionDeps): () => Promise<number> {
  const runDays = daysOfRuns(days);
  const receiptDays = daysOfOpenReceipts(days);
  if (days.users > 0 && (receiptDays === 0 || days.users < receiptDays)) {
    const accepted = receiptDays === 0 ? 'for ever' : receiptDays;
    logger.warn({ users: days.users, receipts: accepted }, 'receipts are accepted only as long as users are kept');
  }
  let nextWeeksMs = Number.NEGATIVE_INFINITY;

  /** Creates and drops weeks. Returns true if no long-running reader prevented it. */
  async function changeWeeks(): Promise<boolean> {
    const made = await retention.makeAhead();
    if (made.weeks > 0) logger.info({ weeks: made.weeks }, 'made partitions for the coming weeks');
    let { heldUp } = made;
    for (const kind of kinds) {
      if (days[kind] === 0) continue;
      const dropped = await retention.dropWeeks(kind, days[kind]);
      if (dropped.weeks > 0) logger.info({ kind, weeks: dropped.weeks, days: days[kind] }, 'dropped old weeks');
      heldUp += dropped.heldUp;
    }
    if (heldUp === 0) return true;
    figures.heldUp(heldUp);
    logger.warn({ partitions: heldUp }, 'long readers hold up weeks of runs, trying again in minutes');
    return false;
  }

  async function countReceipts(): Promise<number> {
    const { runs, failed } = await retention.countReceipts(runsPerChunk);
    for (const { runId, err } of failed) {
      logger.warn({ runId, err }, 'receipts of a run could not be counted, trying again in minutes');
    }
    return runs;
  }

  /** Returns true if a chunk was full: more rows may follow. */
  async function deleteChunk(): Promise<boolean> {
    const isFull: boolean[] = [];
    if (receiptDays > 0) {
      isFull.push((await retention.closeReceipts(receiptDays, runsPerChunk)) === runsPerChunk);
      isFull.push((await countReceipts()) === runsPerChunk);
    }
    for (const kind of kinds) {
      if (days[kind] > 0) isFull.push((await retention.deleteStrays(kind, days[kind], rowsPerChunk)) === rowsPerChunk);
    }
    isFull.push((await retention.deleteDryRows(dryRunDays, rowsPerChunk)) === rowsPerChunk);
    // Strays and dry rows can be found only through their runs. They must therefore be deleted before the runs.
    const mayDeleteRuns = runDays > 0 && !isFull.includes(true);
    if (mayDeleteRuns) isFull.push((await retention.deleteRuns(runDays, runsPerChunk)) === runsPerChunk);
    if (runDays > 0) {
      isFull.push((await retention.deleteChanges(runDays, rowsPerChunk)) === rowsPerChunk);
    }
    if (days.audiences > 0) {
      isFull.push((await retention.deleteAudiences(days.audiences, listsPerChunk)) === listsPerChunk);
      isFull.push((await retention.deleteSuppressionUploads(days.audiences, rowsPerChunk)) === rowsPerChunk);
    }
    isFull.push((await retention.deleteReplacedPeople(rowsPerChunk)) === rowsPerChunk);
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
    if (startedMs >= nextWeeksMs) nextWeeksMs = startedMs + ((await changeWeeks()) ? lookEveryMs : againAfterMs);
    if (await deleteChunk()) return betweenChunksMs;
    return nextWeeksMs - startedMs;
  };
}

/** Returns the days for which runs are kept. The figures of a run are kept at least as long as all its rows. */
function daysOfRuns({ runs, users, receipts, steps, failures }: RetentionDays): number {
  const all = [runs, users, receipts, steps, failures];
  return all.includes(0) ? 0 : Math.max(...all);
}

/** Returns the days for which receipts are accepted: until receipts or failures are deleted, whichever is first. */
function daysOfOpenReceipts({ receipts, failures }: RetentionDays): number {
  const finite = [receipts, failures].filter((each) => each > 0);
  return finite.length === 0 ? 0 : Math.min(...finite);
}
