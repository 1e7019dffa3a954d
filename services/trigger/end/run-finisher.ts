import { isBalanced } from '../../../shared/domain/step/outcomes.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { StepEndings } from '../ports/step-endings.ts';
import type { SweptFeed } from '../ports/outbox-sweep.ts';
import type { RunStore, RunTally } from '../ports/run-store.ts';
import type { TriggerFigures } from '../report/trigger-figures.ts';
import { differences, endingOf, linesOf } from './run-ending.ts';

const maxBatchesPerStatement = 2000;
/** Maximum number of statements per feed and scan, if none of them ends a step. */
const maxStatementsPerPass = 20;

export interface RunFinisherDeps {
  runStore: Pick<RunStore, 'end'>;
  stepEndings: StepEndings;
  /**
   * Time in milliseconds after the deadline by which every worker and trigger has noticed the deadline, or has lost its
   * lease.
   */
  graceMs: number;
  figures: Pick<TriggerFigures, 'ended'>;
  logger: Logger;
}

/**
 * Ends runs that have no open work. Also ends the open steps of runs that are over (cancelled, or past their deadline).
 * Needs only the database, not Kafka.
 */
export interface RunFinisher {
  /**
   * Ends a limited number of steps of each feed, so that a large run does not delay others. The result `more` means
   * that the caller should call again at once.
   */
  finish(tally: RunTally): Promise<'ended' | 'more' | 'waits'>;
  /** Drops what is stored in memory about all other runs. */
  keepOnly(runIds: ReadonlySet<string>): void;
}

export function createRunFinisher({ runStore, stepEndings, graceMs, figures, logger }: RunFinisherDeps): RunFinisher {
  /** Runs whose totals do not match their rows, and for which this was already logged. */
  let unbalanced = new Set<string>();
  /** Number of the batch at which the next window begins, by run and feed. */
  let windows = new Map<string, Map<string, number>>();

  async function finish(tally: RunTally): Promise<'ended' | 'more' | 'waits'> {
    const { runId, campaignId } = tally;
    const outcome = outcomeOf(tally, graceMs);
    const rest = outcome !== null && (await endSteps(tally, outcome)) ? 'more' : 'waits';
    if (!linesOf(tally).every(isBalanced)) report(tally, ['more users ended than were fed']);
    if (mayStillBeFed(tally, graceMs) || endingOf(tally) === null) return rest;

    const ending = await runStore.end(runId, (fresh, counted) => {
      const differing = differences(fresh, counted);
      if (differing.length > 0) report(fresh, differing);
      return differing.length > 0 ? null : endingOf(fresh);
    });
    if (!ending) return rest;
    figures.ended(ending.state);
    logger.info({ runId, campaignId, ...ending }, 'run ended');
    return 'ended';
  }

  /** Ends open steps of the run's feeds. Returns true if a step was ended, because more may follow. */
  async function endSteps({ runId, chain, feeds }: RunTally, outcome: 'expired' | 'cancelled'): Promise<boolean> {
    const ofRun = windows.get(runId) ?? new Map<string, number>();
    windows.set(runId, ofRun);
    let hasEnded = false;
    for (const { feedId } of feeds) {
      const { steps, passed, from } = await endFeed(
        { feedId, chainLength: chain.length },
        outcome,
        ofRun.get(feedId) ?? 1,
      );
      ofRun.set(feedId, from);
      hasEnded ||= steps + passed > 0;
      if (steps > 0) logger.info({ runId, feedId, outcome, steps }, 'steps ended without a worker');
    }
    return hasEnded;
  }

  /**
   * Ends steps in one window of batches after another, until a window contained a step to end. The returned `from` is
   * the first batch of the next window.
   */
  async function endFeed(feed: SweptFeed, outcome: 'expired' | 'cancelled', from: number) {
    let nextFrom = from;
    for (let statements = 0; statements < maxStatementsPerPass; statements++) {
      const window = { from: nextFrom, limit: maxBatchesPerStatement };
      const { ended, passed, next } = await stepEndings.endOpen(feed, outcome, window);
      nextFrom = next ?? 1;
      if (next === null || ended + passed > 0) return { steps: ended, passed, from: nextFrom };
    }
    return { steps: 0, passed: 0, from: nextFrom };
  }

  function report({ runId, campaignId }: RunTally, differing: readonly string[]): void {
    if (!unbalanced.has(runId))
      logger.error({ runId, campaignId, differing }, 'sums of a run do not agree, it cannot end');
    unbalanced.add(runId);
  }

  return {
    finish,
    keepOnly: (runIds) => {
      unbalanced = unbalanced.intersection(runIds);
      windows = new Map([...windows].filter(([runId]) => runIds.has(runId)));
    },
  };
}

/** Returns true if the run is cancelled or past its deadline. Its open steps and the run itself must then be ended. */
export function isOver({ state, overdueMs }: RunTally): boolean {
  return state === 'cancelling' || overdueMs >= 0;
}

/** Returns the outcome of the steps that no worker holds; null while the run continues. */
function outcomeOf({ state, overdueMs }: RunTally, graceMs: number): 'expired' | 'cancelled' | null {
  if (state === 'cancelling') return 'cancelled';
  return overdueMs >= graceMs ? 'expired' : null;
}

function mayStillBeFed({ state, overdueMs, feeds }: RunTally, graceMs: number): boolean {
  return state === 'running' && overdueMs >= 0 && overdueMs < graceMs && !feeds.every((feed) => feed.complete);
}
