import type { Shard, TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { MessagePublisher, TopicBacklogs } from '../../../shared/ports/message-bus.ts';
import type { ShardRefusal } from '../../../shared/ports/shard-reports.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { failureCause } from './auto-pause.ts';
import { budgetPause } from './budget-pause.ts';
import { pauseAfter } from './pause-after.ts';
import type { OutboxSweep } from '../sweep/outbox-sweep.port.ts';
import type { BudgetShortage, RunStore, RunTally, WaitingStep } from './run-store.port.ts';
import type { StepEndings } from '../end/step-endings.port.ts';
import { isUnserved, runCause } from './run-cause.ts';
import type { RunHistory } from './run-history.port.ts';
import { createRunFinisher, isOver } from '../end/run-finisher.ts';
import { settlePauses } from './settle-pauses.ts';
import { createStepProgress, type OpenStep } from './step-progress.ts';
import { createLostSweeper, type Swept } from '../sweep/lost-sweeper.ts';
import type { TriggerFigures } from '../trigger-figures.ts';
import type { ThrottledWarn } from '../throttled-warn.ts';

const lookEveryMs = 1000;

export interface RunKeeperDeps {
  runStore: RunStore;
  runHistory: RunHistory;
  outboxSweep: OutboxSweep;
  stepEndings: StepEndings;
  publisher: MessagePublisher;
  topicBacklogs: TopicBacklogs;
  topics: TopicNames;
  /** Whether this trigger is the one that looks after all runs. */
  isSweeper: () => boolean;
  stallMs: number;
  feedLeaseMs: number;
  clock: Clock;
  figures: TriggerFigures;
  warn: ThrottledWarn;
  logger: Logger;
}

/** Looks after all runs: offers again what was lost, ends what is over, shows what is waited for. */
export interface RunKeeper {
  /** @returns milliseconds until the next turn */
  turn: () => Promise<number>;
}

export function createRunKeeper(deps: RunKeeperDeps): RunKeeper {
  const { runStore, runHistory, stepEndings, topicBacklogs, topics, figures, clock, warn, logger } = deps;
  let backlogs = new Map<string, number | null>();
  const backlogOf = (topic: string) => backlogs.get(topic) ?? null;
  const progress = createStepProgress({ topics, clock });
  const sweeper = createLostSweeper({ ...deps, backlogOf });
  const finisher = createRunFinisher({ runStore, stepEndings, graceMs: deps.feedLeaseMs, figures, logger });

  /** One turn, in this order: each step finds in the look what those before it have brought. */
  const steps: readonly { name: string; step: (look: Look) => Promise<void> | void }[] = [
    { name: 'forget runs that have ended', step: ({ tallies }) => finisher.keepOnly(new Set(runIdsOf(tallies))) },
    { name: 'see how far steps are', step: (look) => void (look.open = progress.look(look.tallies)) },
    { name: 'ask what lies on the topics', step: async ({ open }) => void (backlogs = await askBacklogs(open)) },
    { name: 'offer again what was lost', step: async (look) => void (look.swept = await sweep(look)) },
    {
      name: 'see what waits',
      step: async (look) => void (look.waiting = await runStore.waitingSteps(runIdsOf(look.tallies))),
    },
    { name: 'see what workers cannot serve', step: async (look) => void (look.refusals = await refusalsOf(look.open)) },
    { name: 'see what budgets lack', step: async (look) => void (look.shortages = await shortagesOf(look.tallies)) },
    { name: 'end, pause and show runs', step: keepAll },
    { name: 'settle pauses', step: () => settlePauses({ runStore, logger }) },
    { name: 'keep history', step: keepHistory },
  ];

  async function turn(): Promise<number> {
    if (!deps.isSweeper()) return lookEveryMs;
    const startedMs = clock.monotonicMs();
    const tallies = await runStore.tallies();
    const tookMs = clock.monotonicMs() - startedMs;
    const look: Look = { tallies, open: [], swept: nothingSwept(), waiting: [], refusals: [], shortages: [] };
    for (const { name, step } of steps) {
      try {
        await step(look);
      } catch (error) {
        throw new Error(`could not ${name}`, { cause: error });
      }
    }
    return pauseAfter(tookMs, lookEveryMs);
  }

  async function keepAll(look: Look): Promise<void> {
    for (const tally of look.tallies) {
      // One run that cannot be kept must not hold up the others.
      await keep(tally, look).catch((error: unknown) => {
        warn('could not look after a run, trying again', String(error), { runId: tally.runId });
      });
    }
  }

  /** For people alone: whatever becomes of it, runs are kept. */
  async function keepHistory(): Promise<void> {
    try {
      await runHistory.notePoints();
      for (const { runId, kind } of await runHistory.noteTroubles())
        logger.info({ runId, kind }, 'noted in the history of a run');
    } catch (error) {
      warn('could not note how runs go, trying again', String(error), {});
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

  /** Endings need the database alone: what Kafka does to the sweep must not keep them waiting. */
  async function sweep({ tallies, open }: Look): Promise<Swept> {
    try {
      const swept = await sweeper.sweep(tallies, open);
      if (swept.quarantined.length > 0) {
        const steps = await stepEndings.endQuarantined(swept.quarantined);
        logger.error({ steps, first: swept.quarantined[0] }, 'steps whose calls ended their workers again and again');
      }
      return swept;
    } catch (error) {
      warn('could not sweep, trying again', String(error), {});
      return nothingSwept();
    }
  }

  async function refusalsOf(open: readonly OpenStep[]): Promise<readonly ShardRefusal[]> {
    return open.some(isUnserved) ? await runStore.refusals() : [];
  }

  /** Campaigns without budgets are not asked for. */
  async function shortagesOf(tallies: readonly RunTally[]): Promise<BudgetShortage[]> {
    const budgeted = tallies.filter(({ hasBudgets, state }) => hasBudgets && state === 'running');
    return budgeted.length === 0 ? [] : runStore.shortages(budgeted.map(({ runId }) => runId));
  }

  /** Too many failed, or its budget is used up. True when it was running until now. */
  async function pauseItself(tally: RunTally, { open, shortages }: Look): Promise<boolean> {
    const { runId, campaignId, state } = tally;
    const isOwn = (of: { runId: string }) => of.runId === runId;
    const cause =
      state === 'running'
        ? (failureCause(tally) ?? budgetPause(tally, open.filter(isOwn), shortages.filter(isOwn)))
        : null;
    if (cause === null || !(await runStore.pauseFor(runId, cause))) return false;
    logger.warn({ runId, campaignId, cause }, 'run paused itself');
    return true;
  }

  async function keep(tally: RunTally, seen: Look): Promise<void> {
    if (!isOver(tally) && (await finisher.finish(tally))) return;
    if (await pauseItself(tally, seen)) return;
    const { runId, chain, feeds } = tally;
    const own = seen.open.filter((step) => step.runId === runId);
    const waiting = seen.waiting.filter((step) => step.runId === runId);
    const { troubles } = seen.swept;
    const refusalsOf = ({ actionType, country }: Shard) =>
      seen.refusals.filter((of) => of.actionType === actionType && of.country === country).map(({ cause }) => cause);
    const waitingCause = runCause({ chain, open: own, waiting, troubles, backlogOf, refusalsOf });
    if (waitingCause !== null) warn('a run waits', waitingCause, { runId });
    await runStore.show(runId, {
      inFlight: feeds.reduce((sum, { feedId }) => sum + sweeper.inFlight(feedId), 0),
      waiting: own.reduce((sum, step) => sum + step.waiting, 0),
      waitingCause,
    });
  }

  return { turn };
}

/** What a look brought, of all runs. */
interface Look {
  readonly tallies: readonly RunTally[];
  open: readonly OpenStep[];
  swept: Swept;
  waiting: readonly WaitingStep[];
  refusals: readonly ShardRefusal[];
  shortages: readonly BudgetShortage[];
}

function nothingSwept(): Swept {
  return { quarantined: [], troubles: new Map() };
}

function runIdsOf(tallies: readonly RunTally[]): string[] {
  return tallies.map(({ runId }) => runId);
}
