import type { FeedLoad } from '../ports/feed-store.ts';

export interface ChainLoad {
  /** By shard, the number of batches that are ready in the shard or in an earlier step. */
  loads: Map<string, number>;
  /** By shard, the number of steps of batches whose results are recorded. */
  done: Map<string, number>;
  /** By shard, the latest step, from 1, that uses the shard. */
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
 * Returns, by step, the number of ready batches: those that have entered the step and are neither recorded nor waiting.
 * They are on the step's topic, or a worker has claimed them.
 */
export function readyBySteps({
  fedBatches,
  fromStep,
  steps,
}: Pick<FeedLoad, 'fedBatches' | 'fromStep' | 'steps'>): number[] {
  return steps.map(({ done, created, waiting }, index) => {
    const entered = index + 1 === fromStep ? fedBatches : (steps[index - 1]?.survived ?? 0);
    return Math.max(0, entered + created - done - waiting);
  });
}

/** @param granted number of batches that may be fed and are not fed yet */
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
    // The check of a step is a shard of its own. Batches pass the check first, so the step never receives more batches
    // than its check can handle.
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
