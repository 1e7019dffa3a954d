/** Time within which the keeper reads the next due time of each idle run, if there are few enough. */
const roundMs = 60_000;
/** Reads find batches that are due within this time. The next round finds later ones. */
export const readDueWithinMs = 2 * roundMs;
/** Looks per round. They are at most two seconds apart, so a round takes less than a minute. */
const looksPerRound = 30;
/** Feeds per look, at most. Beyond 12,000 feeds a round takes longer. */
const maxFeedsPerLook = 400;

/**
 * Turns of idle runs, in which the keeper reads when their next batches are due. If a worker schedules a retry between
 * two looks, or a person ends a hold, no figure of the run changes.
 */
export interface DueTurns {
  /**
   * Returns the runs whose turn it is.
   * @param standing returns the feeds of each idle run, least recently read run first; called when a round begins
   */
  next(standing: () => ReadonlyMap<string, readonly string[]>, nowMs: number): readonly string[];
}

export function createDueTurns(): DueTurns {
  let round: [runId: string, feeds: number][] = [];
  let taken = 0;
  let feedsPerLook = 0;
  let nextRoundAtMs = -Infinity;

  function begin(standing: ReadonlyMap<string, readonly string[]>, nowMs: number): void {
    round = [...standing].map(([runId, feedIds]) => [runId, feedIds.length]);
    taken = 0;
    const feeds = round.reduce((sum, [, ofRun]) => sum + ofRun, 0);
    feedsPerLook = Math.min(maxFeedsPerLook, Math.ceil(feeds / looksPerRound));
    nextRoundAtMs = nowMs + roundMs;
  }

  return {
    next: (standing, nowMs) => {
      if (taken >= round.length && nowMs >= nextRoundAtMs) begin(standing(), nowMs);
      const turn: string[] = [];
      for (let feeds = 0; feeds < feedsPerLook && taken < round.length; taken++) {
        const [runId, ofRun] = round[taken] ?? ['', 0];
        turn.push(runId);
        feeds += ofRun;
      }
      return turn;
    },
  };
}
