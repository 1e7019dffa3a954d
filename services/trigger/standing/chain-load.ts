import type { FeedLoad } from '../ports/feed-store.ts';

/** What a feed has in the steps of its chain. All counts in batches. */
export interface ChainLoad {
  /** By shard: what is ready there or in a step before. */
  loads: Map<string, number>;
  /** By shard: step rows recorded so far. */
  done: Map<string, number>;
  /** By shard: the latest step, from 1, that comes through it. */
  depths: Map<string, number>;
  waiting: number;
}

export function shardName(action: string, country: string): string {
  return `${action}/${country}`;
}

export function actionTypeOf(shard: string): string {
  return shard.slice(0, shard.lastIndexOf('/'));
}

/** Ready is what has entered a step and is neither recorded nor waiting: on its topic, or claimed. */
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

/** @param granted batches that may be fed and are not yet */
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
    // A check has slots of its own: no more comes to a step than its check has room for.
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
