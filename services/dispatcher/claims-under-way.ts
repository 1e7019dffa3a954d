import type { ClientQueue } from './jobs/client-queue.ts';

type Claimant = Pick<ClientQueue, 'ownerId' | 'claiming'>;

/** Counts, by client, the jobs that are being claimed, or were claimed and have not ended yet. */
export interface ClaimsUnderWay {
  /** Number of references, over all queues, whose claims are being written. */
  readonly claiming: number;
  ofOwner(ownerId: string): number;
  note(queue: Claimant, count: number): void;
  /** Counts `count` references of the queue as being claimed, until `endAll` is called. */
  begin(queue: Claimant, count: number): void;
  /** Resets the count of references that are being claimed. Called after the claims have been written or refused. */
  endAll(): void;
}

export function createClaimsUnderWay(): ClaimsUnderWay {
  const counts = new Map<string, number>();
  const beingClaimed = new Set<Claimant>();
  let claiming = 0;

  function note({ ownerId }: Claimant, count: number): void {
    const sum = (counts.get(ownerId) ?? 0) + count;
    if (sum > 0) counts.set(ownerId, sum);
    else counts.delete(ownerId);
  }

  return {
    get claiming() {
      return claiming;
    },
    ofOwner: (ownerId) => counts.get(ownerId) ?? 0,
    note,
    begin: (queue, count) => {
      queue.claiming += count;
      claiming += count;
      beingClaimed.add(queue);
      note(queue, count);
    },
    endAll: () => {
      for (const queue of beingClaimed) {
        note(queue, -queue.claiming);
        queue.claiming = 0;
      }
      beingClaimed.clear();
      claiming = 0;
    },
  };
}
