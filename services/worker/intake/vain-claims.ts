import type { QueuedStep } from '../step/work.ts';

/** Least number of claims of a shard in a flush, however many were in vain. */
const least = 100;

/**
 * Limit on vain claims. If all claims of a shard are in vain (its references are repeats or false), the shard gets half
 * as many in the next flush. Once one of them is due, it gets four times as many. A flooded topic thus does not
 * lengthen the flushes of all others.
 */
export interface VainClaims {
  /** Returns how many claims of this shard the next flush may contain. */
  limitOf(topic: string): number;
  note(due: readonly { queued: QueuedStep }[], inVain: readonly QueuedStep[]): void;
}

export function createVainClaims(): VainClaims {
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
