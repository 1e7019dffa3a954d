/**
 * Time in milliseconds in which the keeper reads the next due time of every idle run once, if there are few enough
 * runs.
 */
const roundMs = 60_000;
/**
 * Each read covers the batches that are due within this many milliseconds. Batches that are due later are found in the
 * next round.
 */
export const readDueWithinMs = 2 * roundMs;
/** Number of scans per round. Two scans are at most two seconds apart, so a round takes at most a minute. */
const passesPerRound = 30;
/** Maximum number of feeds per scan. With more than 12,000 feeds, a round takes longer than a minute. */
const maxFeedsPerPass = 400;

/**
 * Order in which the keeper reads when the next batches of idle runs are due. These reads are necessary: when a worker
 * schedules a retry, or a person ends a hold, no figure of the run changes.
 */
export interface DueTurns {
  /**
   * Returns the runs to read now.
   * @param standing returns the feeds of each idle run, by run, the least recently read run first; called when a round
   * begins
   */
  next(standing: () => ReadonlyMap<string, readonly string[]>, nowMs: number): readonly string[];
}

export function createDueTurns(): DueTurns {
  let round: [runId: string, feeds: number][] = [];
  let taken = 0;
  let feedsPerPass = 0;
  let nextRoundAtMs = -Infinity;

  function begin(standing: ReadonlyMap<string, readonly string[]>, nowMs: number): void {
    round = [...standing].map(([runId, feedIds]) => [runId, feedIds.length]);
    taken = 0;
    const feeds = round.reduce((sum, [, ofRun]) => sum + ofRun, 0);
    feedsPerPass = Math.min(maxFeedsPerPass, Math.ceil(feeds / passesPerRound));
    nextRoundAtMs = nowMs + roundMs;
  }

  return {
    next: (standing, nowMs) => {
      if (taken >= round.length && nowMs >= nextRoundAtMs) begin(standing(), nowMs);
      const turn: string[] = [];
      for (let feeds = 0; feeds < feedsPerPass && taken < round.length; taken++) {
        const [runId, ofRun] = round[taken] ?? ['', 0];
        turn.push(runId);
        feeds += ofRun;
      }
      return turn;
    },
  };
}
