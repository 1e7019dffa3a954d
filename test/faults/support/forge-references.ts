import { randomInt } from 'node:crypto';
import { maxLostInMessage } from '../../../shared/contracts/messages/messages.ts';
import type { Trial } from './trial.ts';

/**
 * Goal of a forger for step 2: all users are served, or as many users of each batch are left out as a message names.
 */
export type ForgedLoss = 'no user was lost' | 'many users were lost';

export interface Forger {
  /** Resolves with the number of messages that were sent. */
  stop(): Promise<number>;
}

interface FedBatch {
  installation: string;
  feed: string;
  country: string;
  batchNo: number;
  users: string;
}

const everyMs = 50;
const batchesPerMessage = 20;
const partitions = 4;

const fedBatches = `
  select i.id as installation, b.feed, f.country, b.batch_no as "batchNo", b.users
  from installation i, batches b join feeds f using (feed) where b.parent is null`;

/**
 * Forger that may write to the topics of step 2 and knows all batches. Its references arrive continuously, and thus
 * before the true ones, with consistent lists of lost users.
 */
export function forgeReferences(trial: Trial, action: string, loss: ForgedLoss): Forger {
  const stopping = new AbortController();
  let sent = 0;

  async function forge(): Promise<void> {
    const batches = await trial.database.rows<FedBatch>(fedBatches).catch(() => []);
    for (const [country, own] of Map.groupBy(batches, (batch) => batch.country)) {
      for (const ofFeed of Map.groupBy(own, ({ feed }) => feed).values()) {
        const values = Array.from({ length: Math.ceil(ofFeed.length / batchesPerMessage) }, (_, page) =>
          Buffer.from(forged(ofFeed.slice(page * batchesPerMessage, (page + 1) * batchesPerMessage), loss)),
        );
        await trial.topics.produce(trial.topic(action, country), randomInt(partitions), values);
        sent += values.length;
      }
    }
  }

  async function forgeUntilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      await forge();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  const forging = forgeUntilStopped();
  return {
    stop: async () => {
      stopping.abort();
      await forging;
      return sent;
    },
  };
}

function forged(batches: readonly FedBatch[], loss: ForgedLoss): string {
  const [first] = batches;
  const users = batches.map((batch) => usersOf(batch));
  const lost = users.map((ids) => (loss === 'no user was lost' ? [] : ids.slice(0, maxLostInMessage)));
  return JSON.stringify({
    installation: first?.installation,
    feedId: first?.feed,
    step: 2,
    batchNos: batches.map(({ batchNo }) => batchNo),
    remaining: users.map((ids, index) => ids.length - (lost[index]?.length ?? 0)),
    lost,
  });
}

function usersOf({ users }: FedBatch): string[] {
  const ids: unknown = JSON.parse(`[${users}]`);
  return Array.isArray(ids) ? ids.map(String) : [];
}
