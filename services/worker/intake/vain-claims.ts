import type { QueuedStep } from '../step/work.ts';

/** So many of a shard are claimed in a flush however many came to nothing. */
const least = 100;

/**
 * A shard all of whose claims come to nothing (its references are repeats or lies) has half as many in the next flush,
 * and four times as many once one of them is due: what floods one topic makes no flush of all others longer.
 */
export interface VainClaims {
  /** How many of this shard may be claimed now. */
  limitOf(topic: string): number;
  note(due: readonly { queued: QueuedStep }[], inVain: readonly QueuedStep[]): void;
}

export function createVainClaims(): VainClaims {
  /** Of those that have one. */
  const limits = new Map<string, number>();
  const limitOf = (topic: string) => limits.get(topic) ?? Infinity;
  return {
    limitOf,
    note: (due, inVain) => {
      if (inVain.length === 0 && limits.size === 0) return;
      const dueTopics = new Set(due.map(({ queued }) => queued.topic));
      for (const [topic, own] of Map.groupBy(inVain, (step) => step.topic)) {
        if (dueTopics.has(topic)) continue;
        limits.set(topic, Math.max(least, Math.floor(Math.min(limitOf(topic), own.length) / 2)));
      }
      for (const topic of dueTopics) {
        const limit = 4 * limitOf(topic);
        if (limit > 10 * least) limits.delete(topic);
        else limits.set(topic, limit);
      }
    },
  };
}
