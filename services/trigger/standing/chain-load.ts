import type { FeedLoad } from '../ports/feed-store.ts';

export interface ChainLoad {
  /** Batches that are ready in the shard or in an earlier step, keyed by shard. */
  loads: Map<string, number>;
  /** Number of steps of batches that are recorded so far; by shard. */
  done: Map<string, number>;
  /** Latest step, from 1, that uses the shard, keyed by shard. */
  depths: Map<string, number>;
  waiting: number;
}

export function shardName(action: string, country: string): string {
  return `${action}/${country}`;
}

export function actionTypeOf(shard: string): string {
  return shard.slice(0, shard.lastIndexOf('/'));
}

/**
 * Returns, by step, the number of ready batches. They have entered the step, and are neither recorded nor waiting: they
 * are on its topic, or claimed.
 */
export function readyBySteps({
  fedBatches,
  fromStep,
  steps,
}: Pick<FeedLoad, 'fedBatches' | 'fromStep' | 'steps'>): number[] {
  return steps.map(({ done, born, waiting }, index) => {
    const entered = index + 1 === fromStep ? fedBatches : (steps[index - 1]?.survived ?? 0);
    return Math.max(0, entered + born - done - waiting);
  });
}

/** @param granted batches that may be fed and are not fed yet */
export function chainLoadOf(load: FeedLoad, granted: number): ChainLoad {
  const ready = readyBySteps(load);
  const loads = new Map<string, number>();
  const done = new Map<string, number>();
  const depths = new Map<string, number>();
  let onTheWay = granted;
  for (const [index, action] of load.chain.entries()) {
    if (index + 1 < load.fromStep) continue;
    const shard = shardName(action, load.country);
    onTheWay += ready[index] ?? 0;
    // The check of a step is a shard of its own. Batches must pass the check's shard first, so a step never receives
    // more than its check can handle.
    const check = load.checks[index] ?? null;
    for (const through of check === null ? [shard] : [shardName(check, load.country), shard]) {
      loads.set(through, onTheWay);
      done.set(through, (done.get(through) ?? 0) + (load.steps[index]?.done ?? 0));
      depths.set(through, index + 1);
    }
  }
  const waiting = load.steps.reduce((sum, step, index) => {
    return load.quietSteps.includes(index + 1) ? sum : sum + Math.max(0, step.waiting);
  }, 0);
  return { loads, done, depths, waiting };
}
