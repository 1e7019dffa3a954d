import type { WaitingStep } from '../../../services/trigger/ports/run-store.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { definitionOf } from './run-definitions.ts';
import type { StepCauseRow } from './step-tables.ts';
import { waitsIn } from './totals.ts';
import { feedsOf } from './run-feeds.ts';

const causeLastsMs = 120_000;

/** Returns the hold of each step, otherwise the recent cause for which a batch was last released. */
export function waitingStepsOf(database: MemoryDatabase, runId: string): WaitingStep[] {
  return feedsOf(database, runId).flatMap(({ feedId, country }) => {
    const held = [...database.holds.values()]
      .filter((hold) => hold.feedId === feedId && (hold.untilMs ?? Infinity) > database.clock.nowMs())
      .sort((a, b) => Number(b.kind === 'fault') - Number(a.kind === 'fault'));
    const causes = [...database.stepCauses.values()]
      .filter((cause) => cause.feedId === feedId && cause.lastAtMs > database.clock.nowMs() - causeLastsMs)
      .filter((cause) => waitsIn(database, cause) && !isOverSinceClosed(database, cause))
      .sort((a, b) => b.lastAtMs - a.lastAtMs);
    const all = [
      ...held.map((hold) => ({ ...hold, held: true })),
      ...causes.map((cause) => ({ ...cause, held: false })),
    ];
    const steps = [...new Set(all.map(({ step }) => step))].sort((a, b) => a - b);
    return steps.flatMap((step) => {
      const first = all.find((each) => each.step === step);
      return first ? [{ runId, country, step, cause: first.cause, held: first.held }] : [];
    });
  });
}

/** Returns true if the breaker of the shard has closed since a batch was last released for this cause. */
export function isOverSinceClosed(database: MemoryDatabase, { feedId, step, lastAtMs }: StepCauseRow): boolean {
  const feed = database.feeds.get(feedId);
  const run = feed && database.runs.get(feed.runId);
  if (!feed || !run) return false;
  const action = definitionOf(database, run).chain[step - 1]?.action ?? '';
  const guard = database.guards.get(`${action}/${feed.country}`);
  return guard?.state === 'closed' && (guard.slowStartAtMs ?? -Infinity) >= lastAtMs;
}
