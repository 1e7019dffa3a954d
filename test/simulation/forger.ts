import type { StepMessage } from '../../shared/contracts/messages/messages.ts';
import type { Shard } from '../../shared/domain/endpoint/shard.ts';
import type { OutgoingMessage } from '../../shared/ports/message-bus.ts';
import type { BatchRow } from '../support/memory/feed-tables.ts';
import type { MemoryDatabase } from '../support/memory/memory-database.ts';
import { createChance, type Chance } from './seeded.ts';

export interface ForgerDeps {
  database: MemoryDatabase;
  /** Number of steps of the chain. */
  steps: number;
  topicOf: (shard: Shard) => string;
}

/** Forger that may write to the topics and knows all batches. */
export interface Forger {
  /** Returns references to any steps of any batches. The remaining users have to be read from the rows. */
  strays(ofWalk: Chance): OutgoingMessage[];
  /**
   * Returns references to later steps of all batches with invented lists of lost users, which match the number of
   * remaining users. They use their own random numbers.
   */
  lies(): OutgoingMessage[];
}

export function createForger({ database, steps, topicOf }: ForgerDeps): Forger {
  const chance = createChance(1);
  return {
    strays: (ofWalk) => {
      const feeds = [...database.feeds.values()];
      if (feeds.length === 0) return [];
      const { feedId, country } = ofWalk.pick(feeds);
      const step = 1 + ofWalk.below(steps);
      const value = { feedId, step, batchNos: [1 + ofWalk.below(3)], remaining: [1], lost: [null] };
      return [{ topic: topicOf({ actionType: `action-${step}`, country }), value: JSON.stringify(value) }];
    },
    lies: () => {
      const batches = [...database.batches.values()];
      if (steps === 1) return [];
      return batches.flatMap((batch) => {
        const step = 2 + chance.below(steps - 1);
        const country = database.feeds.get(batch.feedId)?.country ?? '';
        const topic = topicOf({ actionType: `action-${step}`, country });
        return [{ topic, value: JSON.stringify(forgedFor(batch, step, chance)) }];
      });
    },
  };
}

function forgedFor({ feedId, batchNo, users }: BatchRow, step: number, chance: Chance): StepMessage {
  const share = chance.pick([0, 0, 0.3]);
  const lost = users.filter(() => chance.happens(share));
  const remaining = Math.max(1, users.length - lost.length);
  return { feedId, step, batchNos: [batchNo], remaining: [remaining], lost: [lost] };
}
