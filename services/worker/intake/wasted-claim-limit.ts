import type { QueuedStep } from '../step/work.ts';

/** Lower bound on the claims of a shard in a flush, however many were wasted. */
const least = 100;

/**
 * Limit on wasted claims. If all claims of a shard are wasted (its references are repeats or false), the shard gets
 * half as many in the next flush. As soon as one of its claims is not wasted, the shard gets four times as many. A
 * flooded topic thus does not lengthen the flushes of all other topics.
 */
export interface WastedClaimLimit {
  /** Returns how many claims of this shard the next flush may contain. */
  limitOf(topic: string): number;
  note(due: readonly { queued: QueuedStep }[], inVain: readonly QueuedStep[]): void;
}

export function createWastedClaimLimit(): WastedClaimLimit {
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
