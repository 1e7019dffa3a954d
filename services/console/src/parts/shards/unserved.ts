import type { Shard } from '#client/types.gen.ts';

export function isUnserved({ workers, lag }: Shard): boolean {
  const hasWork = lag.batches + lag.waiting + lag.aheadBatches + lag.pacedBatches + (lag.messages ?? 0) > 0;
  return workers.length === 0 && hasWork;
}

/** Returns the reason that a worker has reported; otherwise states that no worker serves the shard. */
export function unservedCause({ notes }: Shard): string {
  return notes.find((note) => note.includes('cannot serve it')) ?? 'no worker serves it';
}
