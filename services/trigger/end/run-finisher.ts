import { isBalanced } from '../../../shared/domain/step/outcomes.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { StepEndings } from './step-endings.port.ts';
import type { RunStore, RunTally } from '../keep/run-store.port.ts';
import type { TriggerFigures } from '../trigger-figures.ts';
import { differences, endingOf, linesOf } from './run-ending.ts';

/** Batches of a feed in one statement. */
const maxBatchesPerStatement = 2000;
/** Statements for one feed at one look, so that a large run does not hold up the others. */
const maxStatementsPerLook = 20;

export interface RunFinisherDeps {
  runStore: RunStore;
  stepEndings: StepEndings;
  /** So long after the deadline, workers and feeders have heard of it, or lost their leases. */
  graceMs: number;
  figures: Pick<TriggerFigures, 'ended'>;
  logger: Logger;
}

/**
 * Ends the runs that have nothing left to do, and the steps of those whose time is over. Needs the database and no
 * other process.
 */
export interface RunFinisher {
  /** True when the run has ended. */
  finish(tally: RunTally): Promise<boolean>;
  /** Forgets what it knows of other runs. */
  keepOnly(runIds: ReadonlySet<string>): void;
}

export function createRunFinisher({ runStore, stepEndings, graceMs, figures, logger }: RunFinisherDeps): RunFinisher {
  /** Runs whose sums do not agree, which has been said. */
  let unbalanced = new Set<string>();

  async function finish(tally: RunTally): Promise<boolean> {
    const { runId, campaignId } = tally;
    const outcome = outcomeOf(tally, graceMs);
    if (outcome !== null) await endSteps(tally, outcome);
    if (!linesOf(tally).every(isBalanced)) report(tally, ['more users ended than were fed']);
    if (mayStillBeFed(tally, graceMs) || endingOf(tally) === null) return false;

    const ending = await runStore.end(runId, (fresh, counted) => {
      const differing = differences(fresh, counted);
      if (differing.length > 0) report(fresh, differing);
      return differing.length > 0 ? null : endingOf(fresh);
    });
    if (!ending) return false;
    figures.ended(ending.state);
    logger.info({ runId, campaignId, ...ending }, 'run ended');
    return true;
  }

  async function endSteps({ runId, chain, feeds }: RunTally, outcome: 'expired' | 'cancelled'): Promise<void> {
    for (const { feedId } of feeds) {
      const steps = await endFeed({ feedId, chainLength: chain.length }, outcome);
      if (steps > 0) logger.info({ runId, feedId, outcome, steps }, 'steps ended without a worker');
    }
  }

  async function endFeed(feed: { feedId: string; chainLength: number }, outcome: 'expired' | 'cancelled') {
    let steps = 0;
    let from = 1;
    for (let statements = 0; statements < maxStatementsPerLook; statements++) {
      const { ended, passed, next } = await stepEndings.endOpen(feed, outcome, { from, limit: maxBatchesPerStatement });
      steps += ended;
      if (next === null && ended + passed === 0) break;
      from = next ?? 1;
    }
    return steps;
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
    },
  };
}

/** Its time is over: what is left of it ends, and so does the run. */
export function isOver({ state, overdueMs }: RunTally): boolean {
  return state === 'cancelling' || overdueMs >= 0;
}

/** What becomes of steps that no worker holds; null while the run goes on. */
function outcomeOf({ state, overdueMs }: RunTally, graceMs: number): 'expired' | 'cancelled' | null {
  if (state === 'cancelling') return 'cancelled';
  return overdueMs >= graceMs ? 'expired' : null;
}

function mayStillBeFed({ state, overdueMs, feeds }: RunTally, graceMs: number): boolean {
  return state === 'running' && overdueMs >= 0 && overdueMs < graceMs && !feeds.every((feed) => feed.complete);
}
