import type { Shard, TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MessagePublisher, TopicBacklogs } from '../../../shared/ports/message-bus.ts';
import type { ShardRefusal } from '../../../shared/ports/shard-reports.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { failureCause } from './auto-pause.ts';
import { budgetPause } from './budget-pause.ts';
import { canaryEnd } from './canary-end.ts';
import { pauseAfter } from '../../../shared/runtime/pause-after.ts';
import type { OutboxSweep } from '../ports/outbox-sweep.ts';
import type { BudgetShortage, RunFigures, RunStore, RunTally, WaitingStep } from '../ports/run-store.ts';
import type { StepEndings } from '../ports/step-endings.ts';
import type { OpenRuns } from '../standing/open-runs.ts';
import { isUnserved, runCause } from './run-cause.ts';
import { createKnownRuns } from './known-runs.ts';
import { createRunFinisher, isOver } from '../end/run-finisher.ts';
import { settlePauses } from './settle-pauses.ts';
import { createStepProgress, type OpenStep } from '../standing/step-progress.ts';
import { createLostSweeper, type Swept } from '../sweep/lost-sweeper.ts';
import type { TriggerFigures } from '../report/trigger-figures.ts';
import type { ThrottledWarn } from '../report/throttled-warn.ts';

const pollEveryMs = 1000;
/**
 * Maximum pause in milliseconds after a slow scan. A scan reads little, so a slow scan means that the database is slow.
 * The pause is limited nevertheless, because retries wait for scans.
 */
const longestPauseMs = 2000;

export interface RunKeeperDeps {
  runStore: RunStore;
  outboxSweep: OutboxSweep;
  stepEndings: StepEndings;
  publisher: MessagePublisher;
  topicBacklogs: TopicBacklogs;
  topics: TopicNames;
  /** Returns true if this trigger is the sweeper, which is the trigger that maintains all runs. */
  isSweeper: () => boolean;
  /** Loops that receive what the keeper's scans have read, so that they need not read unchanged runs themselves. */
  followers: readonly PassFollower[];
  openRuns: OpenRuns;
  stallMs: number;
  feedLeaseMs: number;
  clock: Clock;
  figures: TriggerFigures;
  warn: ThrottledWarn;
  logger: Logger;
}

export interface PassFollower {
  /** Receives the runs that a scan has read: runs that move, and some others in turn. */
  see(tallies: readonly RunTally[]): void;
  /** Receives the feeds of runs that have ended or were paused. */
  forget(feedIds: readonly string[]): void;
}

/**
 * Loop that maintains runs: it offers lost references again, ends runs that are over, and records the reasons why runs
 * wait.
 */
export interface RunKeeper {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createRunKeeper(deps: RunKeeperDeps): RunKeeper {
  const { runStore, stepEndings, topicBacklogs, topics, figures, clock, warn, logger } = deps;
  let backlogs = new Map<string, number | null>();
  const backlogOf = (topic: string) => backlogs.get(topic) ?? null;
  const progress = createStepProgress({ topics, clock });
  const sweeper = createLostSweeper({ ...deps, backlogOf });
  const finisher = createRunFinisher({ runStore, stepEndings, graceMs: deps.feedLeaseMs, figures, logger });
  const known = createKnownRuns({
    runStore,
    outboxSweep: deps.outboxSweep,
    onForgotten: (feedIds) => {
      for (const follower of [progress, sweeper, ...deps.followers]) follower.forget(feedIds);
    },
    clock,
  });

  /** Parts of one turn, in order. Each part may use the results that earlier parts have stored in `pass`. */
  const steps: readonly { name: string; step: (pass: Pass) => Promise<void> | void }[] = [
    { name: 'forget runs that have ended', step: () => finisher.keepOnly(known.ids()) },
    { name: 'see how far steps are', step: (pass) => void (pass.open = progress.update(pass.tallies)) },
    { name: 'ask what lies on the topics', step: async ({ open }) => void (backlogs = await askBacklogs(open)) },
    { name: 'offer again what was lost', step: async (pass) => void (pass.swept = await sweep(pass)) },
    { name: 'note when more is due', step: noteDue },
    {
      name: 'see what waits',
      step: async (pass) => void (pass.waiting = await runStore.waitingSteps(runIdsOf(pass.tallies))),
    },
    { name: 'see what workers cannot serve', step: async (pass) => void (pass.refusals = await refusalsOf(pass.open)) },
    { name: 'see what budgets lack', step: async (pass) => void (pass.shortages = await shortagesOf(pass.tallies)) },
    { name: 'end, pause and show runs', step: keepAll },
    { name: 'settle pauses', step: () => settlePauses({ runStore, logger }) },
  ];

  async function turn(): Promise<number> {
    if (!deps.isSweeper()) return pollEveryMs;
    if (known.ids().size === 0 && !(await deps.openRuns.isAny())) return pollEveryMs;
    const startedMs = clock.monotonicMs();
    const tallies = await known.read();
    const tookMs = clock.monotonicMs() - startedMs;
    for (const follower of deps.followers) follower.see(tallies);
    const pass: Pass = { tallies, open: [], swept: nothingSwept(), waiting: [], refusals: [], shortages: [] };
    for (const { name, step } of steps) {
      try {
        await step(pass);
      } catch (error) {
        throw new Error(`could not ${name}`, { cause: error });
      }
    }
    return pauseAfter(tookMs, pollEveryMs, longestPauseMs);
  }

  async function keepAll(pass: Pass): Promise<void> {
    const open = Map.groupBy(pass.open, ({ runId }) => runId);
    const waiting = Map.groupBy(pass.waiting, ({ runId }) => runId);
    const changed: RunFigures[] = [];
    for (const tally of pass.tallies) {
      try {
        const figures = await keep(tally, pass, open.get(tally.runId) ?? [], waiting.get(tally.runId) ?? []);
        if (figures) changed.push(figures);
      } catch (error) {
        // A fault of one run must not prevent the maintenance of the others.
        warn('could not look after a run, trying again', String(error), { runId: tally.runId });
      }
    }
    if (changed.length > 0) await runStore.show(changed);
  }

  /** Records when batches are due. The keeper then reads their runs again. */
  function noteDue({ open, swept }: Pass): void {
    const runOf = new Map(open.map(({ feedId, runId }) => [feedId, runId]));
    for (const [feedId, inMs] of swept.dueIn) {
      const runId = runOf.get(feedId);
      if (runId !== undefined) known.isDueIn(runId, inMs);
    }
  }

  async function askBacklogs(open: readonly OpenStep[]): Promise<Map<string, number | null>> {
    if (open.length === 0) return new Map();
    try {
      return await topicBacklogs.unhandled([...new Set(open.map(({ topic }) => topic))]);
    } catch (error) {
      warn('could not ask Kafka what lies on the topics', String(error), {});
      return new Map();
    }
  }

  /**
   * Offers lost and due references again. Errors are caught, because runs must still be ended while Kafka is
   * unavailable; that needs only the database.
   */
  async function sweep({ tallies, open }: Pass): Promise<Swept> {
    try {
      const swept = await sweeper.sweep(tallies, open);
      if (swept.quarantined.length > 0) {
        const steps = await stepEndings.endQuarantined(swept.quarantined);
        logger.error({ steps, first: swept.quarantined[0] }, 'steps whose calls ended their workers again and again');
      }
      return swept;
    } catch (error) {
      warn('could not sweep, trying again', String(error), {});
      for (const { runId } of open) known.isDueIn(runId, pollEveryMs);
      return nothingSwept();
    }
  }

  async function refusalsOf(open: readonly OpenStep[]): Promise<readonly ShardRefusal[]> {
    return open.some(isUnserved) ? await runStore.refusals() : [];
  }

  async function shortagesOf(tallies: readonly RunTally[]): Promise<BudgetShortage[]> {
    const budgeted = tallies.filter(({ hasBudgets, state }) => hasBudgets && state === 'running');
    return budgeted.length === 0 ? [] : runStore.shortages(budgeted.map(({ runId }) => runId));
  }

  /**
   * Pauses the run if too many of its users have failed, or if its budget is used up. Returns true if the run was
   * paused.
   */
  async function pauseItself(tally: RunTally, open: readonly OpenStep[], { shortages }: Pass): Promise<boolean> {
    const { runId, campaignId, state } = tally;
    const cause =
      state === 'running'
        ? (failureCause(tally) ??
          budgetPause(
            tally,
            open,
            shortages.filter((of) => of.runId === runId),
          ))
        : null;
    if (cause === null || !(await runStore.pauseFor(runId, cause))) return false;
    logger.warn({ runId, campaignId, cause }, 'run paused itself');
    return true;
  }

  /** Ends the canary when all its users have ended. Returns true if the run then waits for a person. */
  async function endCanary(tally: RunTally): Promise<boolean> {
    const { runId, campaignId } = tally;
    const end = canaryEnd(tally);
    if (end?.kind === 'waits') {
      if (!(await runStore.pauseForCanary(runId, end.cause))) return false;
      logger.info({ runId, campaignId, cause: end.cause }, 'run waits after its canary');
      return true;
    }
    if (end && (await runStore.endCanary(runId, end.summary))) {
      logger.info({ runId, campaignId, summary: end.summary }, 'run goes on after its canary');
    }
    return false;
  }

  /**
   * Maintains one run. Returns the figures to display; null if the run has ended, or if this function has paused it.
   */
  async function keep(
    tally: RunTally,
    seen: Pass,
    own: readonly OpenStep[],
    waiting: readonly WaitingStep[],
  ): Promise<RunFigures | null> {
    if (!isOver(tally) && (await finisher.finish(tally)) === 'ended') return null;
    if (await pauseItself(tally, own, seen)) return null;
    if (await endCanary(tally)) return null;
    const { runId, chain, feeds } = tally;
    const { troubles } = seen.swept;
    const refusalsOf = ({ actionType, country }: Shard) =>
      seen.refusals.filter((of) => of.actionType === actionType && of.country === country).map(({ cause }) => cause);
    const waitingCause = runCause({ chain, open: own, waiting, troubles, backlogOf, refusalsOf });
    if (waitingCause !== null) warn('a run waits', waitingCause, { runId });
    return {
      runId,
      inFlight: feeds.reduce((sum, { feedId }) => sum + sweeper.inFlight(feedId), 0),
      waiting: own.reduce((sum, step) => sum + step.waiting, 0),
      waitingCause,
    };
  }

  return { turn };
}

interface Pass {
  readonly tallies: readonly RunTally[];
  open: readonly OpenStep[];
  swept: Swept;
  waiting: readonly WaitingStep[];
  refusals: readonly ShardRefusal[];
  shortages: readonly BudgetShortage[];
}

function nothingSwept(): Swept {
  return { quarantined: [], troubles: new Map(), dueIn: new Map() };
}

function runIdsOf(tallies: readonly RunTally[]): string[] {
  return tallies.map(({ runId }) => runId);
}
