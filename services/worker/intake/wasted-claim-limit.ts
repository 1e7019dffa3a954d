import type { QueuedStep } from '../step/work.ts';

/** Minimum number of claims of a shard in a flush, however many claims were wasted before. */
const least = 100;

/**
 * Limit on the wasted claims of a shard. A claim is wasted if its step is not due, because the reference is a repeat or
 * is wrong. If all claims of a shard in a flush are wasted, its limit is halved. If at least one is not wasted, the
 * limit grows to four times as many. So a topic full of such references does not make the flushes of all others longer.
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
