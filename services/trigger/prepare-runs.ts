import pLimit from 'p-limit';
import { backoffMs } from '../../shared/domain/retry.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { NewFeed, RunStore, RunToPrepare } from './ports/run-store.ts';
import type { Segmentation, SegmentationAnswer } from './ports/segmentation.ts';
import type { SegmentDescription } from '../../shared/contracts/segmentation.ts';
import type { Logger } from '../../shared/runtime/logger.ts';

/** More than can be stuck at once, since the oldest come first. */
const maxRunsAtOnce = 200;
/** Questions to the segmentation service in flight, over all runs. */
const maxQuestions = 8;
const lookEveryMs = 500;
const backoff = { firstDelayMs: 500, maxDelayMs: 30_000 };

export interface PrepareRunsDeps {
  runStore: RunStore;
  segmentation: Segmentation;
  /** There are new feeds to page. */
  begun: () => void;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  logger: Logger;
}

/** Failed tries of one run, kept by this process alone: another trigger makes its own. */
interface Tries {
  failures: number;
  nextAtMs: number;
  cause: string;
}

/** Asks for the segments of runs that were created and begins them. What comes back is a loop's turn. */
export function createPrepareRuns(deps: PrepareRunsDeps): (signal: AbortSignal) => Promise<number> {
  const { runStore, segmentation, clock, logger } = deps;
  const limit = pLimit(maxQuestions);
  let tries = new Map<string, Tries>();

  async function prepare(run: RunToPrepare, signal: AbortSignal): Promise<void> {
    const before = tries.get(run.runId);
    if (run.deadlinePassed) {
      await end(
        run,
        'expired',
        ['the deadline passed before the run could begin', before?.cause].filter(Boolean).join('; '),
      );
      return;
    }
    if (before && before.nextAtMs > clock.monotonicMs()) return;

    const described = await describeAll(run, signal);
    if (signal.aborted) return;
    const missing = described.find(({ answer }) => !answer.ok && answer.failure.kind === 'not-found');
    if (missing) {
      await end(run, 'failed', `there is no segment "${missing.segment}" for ${missing.country}`);
      return;
    }
    const feeds = described.flatMap(feedOf);
    if (feeds.length < described.length) tryLater(run, before, described);
    else if (await runStore.begin(run.runId, feeds)) {
      logger.info({ runId: run.runId, campaignId: run.campaignId, feeds: feeds.length }, 'run begun');
      deps.begun();
    }
  }

  function describeAll({ definition }: RunToPrepare, signal: AbortSignal): Promise<Described[]> {
    return Promise.all(
      definition.audience.include.flatMap(({ segment }) =>
        definition.countries.map(async (country) => {
          const answer = await limit(() => segmentation.describe(segment, country, signal));
          return { segment, country, answer };
        }),
      ),
    );
  }

  async function end({ runId, campaignId }: RunToPrepare, state: 'failed' | 'expired', reason: string): Promise<void> {
    if (await runStore.finish(runId, state, reason)) logger.info({ runId, campaignId, state, reason }, 'run ended');
  }

  function tryLater({ runId }: RunToPrepare, before: Tries | undefined, described: readonly Described[]): void {
    const failed = described.flatMap(({ answer }) => (answer.ok ? [] : [answer.failure]));
    const failures = (before?.failures ?? 0) + 1;
    const waitMs = Math.max(
      backoffMs(backoff, failures, deps.random()),
      ...failed.map(({ retryAfterMs }) => retryAfterMs ?? 0),
    );
    const cause = failed.map((failure) => failure.cause).at(0) ?? '';
    tries.set(runId, { failures, nextAtMs: clock.monotonicMs() + waitMs, cause });
    logger.warn({ runId, cause, waitMs }, 'cannot prepare a run yet');
  }

  return async (signal) => {
    const runs = await runStore.toPrepare(maxRunsAtOnce);
    const waiting = new Set(runs.map(({ runId }) => runId));
    tries = new Map([...tries].filter(([runId]) => waiting.has(runId)));
    await Promise.all(runs.map((run) => prepare(run, signal)));
    return lookEveryMs;
  };
}

interface Described {
  segment: string;
  country: string;
  answer: SegmentationAnswer<SegmentDescription>;
}

function feedOf({ segment, country, answer }: Described): NewFeed[] {
  if (!answer.ok) return [];
  const { snapshot, estimate } = answer.value;
  return [{ country, segment, snapshot, estimate }];
}
