import type { Clock } from '../../../shared/ports/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { TriggerFigures } from '../report/trigger-figures.ts';
import type { KeptKind, Retention } from '../ports/retention-store.ts';

const pollEveryMs = 3_600_000;
/** Time in milliseconds until the next attempt, if a long-running reader blocked the change of a week's partitions. */
const againAfterMs = 300_000;
/** Pause in milliseconds while more rows have to be deleted. */
const betweenChunksMs = 1000;
/** Number of rows in a chunk. It is small, because one statement locks the rows and writes them to the log. */
const rowsPerChunk = 5000;
const runsPerChunk = 50;
const listsPerChunk = 20;

const answerDays = 1;
/** Days for which rows of dry runs are kept. They have no later use, and may be as many as those of a live run. */
const dryRunDays = 1;
const deadLetterDays = 30;

/** Days after the end of a run for which its rows are kept; 0 means without limit. Caps decide about effects. */
export interface RetentionDays extends Record<Exclude<KeptKind, 'effects'> | 'runs', number> {
  /**
   * Days for which an uploaded list is kept after its upload. A list that a campaign needs is kept for longer. Records
   * of suppression uploads are kept for the same number of days after their end.
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

const kinds = ['users', 'receipts', 'steps', 'failures', 'effects'] as const;

/** Days for which the rows of one turn are kept. */
type DaysOfTurn = Record<KeptKind | 'runs', number>;

/** Creates partitions of coming weeks, and deletes old rows. Returns the turn function of a loop. */
export function createRetention({
  retention,
  days,
  isSweeper,
  figures,
  clock,
  logger,
}: RetentionDeps): () => Promise<number> {
  const receiptDays = daysOfOpenReceipts(days);
  if (days.users > 0 && (receiptDays === 0 || days.users < receiptDays)) {
    const accepted = receiptDays === 0 ? 'for ever' : receiptDays;
    logger.warn({ users: days.users, receipts: accepted }, 'receipts are accepted only as long as users are kept');
  }
  let nextWeeksMs = Number.NEGATIVE_INFINITY;

  async function daysOfTurn(): Promise<DaysOfTurn> {
    const kept = { ...days, effects: await retention.effectDays() };
    return { ...kept, runs: daysOfRuns(kept) };
  }

  /** Creates and drops partitions of weeks. Returns true if no long-running reader blocked a change. */
  async function changeWeeks(kept: DaysOfTurn): Promise<boolean> {
    const made = await retention.makeAhead();
    if (made.weeks > 0) logger.info({ weeks: made.weeks }, 'made partitions for the coming weeks');
    let { heldUp } = made;
    for (const kind of kinds) {
      if (kept[kind] === 0) continue;
      const dropped = await retention.dropWeeks(kind, kept[kind]);
      if (dropped.weeks > 0) logger.info({ kind, weeks: dropped.weeks, days: kept[kind] }, 'dropped old weeks');
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

  /** Deletes one chunk of each kind of rows. Returns true if a chunk was full, because more rows may follow. */
  async function deleteChunk(kept: DaysOfTurn): Promise<boolean> {
    const isFull: boolean[] = [];
    if (receiptDays > 0) {
      isFull.push((await retention.closeReceipts(receiptDays, runsPerChunk)) === runsPerChunk);
      isFull.push((await countReceipts()) === runsPerChunk);
    }
    for (const kind of kinds) {
      if (kept[kind] > 0) isFull.push((await retention.deleteStrays(kind, kept[kind], rowsPerChunk)) === rowsPerChunk);
    }
    isFull.push((await retention.deleteDryRows(dryRunDays, rowsPerChunk)) === rowsPerChunk);
    // Rows in default partitions and rows of dry runs are found through their runs, so they must be deleted before the
    // runs.
    const mayDeleteRuns = kept.runs > 0 && !isFull.includes(true);
    if (mayDeleteRuns) isFull.push((await retention.deleteRuns(kept.runs, runsPerChunk)) === runsPerChunk);
    if (kept.runs > 0) {
      isFull.push((await retention.deleteChanges(kept.runs, rowsPerChunk)) === rowsPerChunk);
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
    const kept = await daysOfTurn();
    if (startedMs >= nextWeeksMs) nextWeeksMs = startedMs + ((await changeWeeks(kept)) ? pollEveryMs : againAfterMs);
    if (await deleteChunk(kept)) return betweenChunksMs;
    return nextWeeksMs - startedMs;
  };
}

/**
 * Returns the number of days for which runs are kept. A run with its figures is kept at least as long as all its rows.
 */
function daysOfRuns({ runs, users, receipts, steps, failures, effects }: DaysOfTurn): number {
  const all = [runs, users, receipts, steps, failures, effects];
  return all.includes(0) ? 0 : Math.max(...all);
}

/**
 * Returns the number of days for which receipts are accepted: until receipts or failures are deleted, whichever comes
 * first.
 */
function daysOfOpenReceipts({ receipts, failures }: RetentionDays): number {
  const finite = [receipts, failures].filter((each) => each > 0);
  return finite.length === 0 ? 0 : Math.min(...finite);
}
