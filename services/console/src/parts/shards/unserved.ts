import type { Shard } from '#client/types.gen.ts';

/** There is work and no worker: nothing of it will move. */
export function isUnserved({ workers, lag }: Shard): boolean {
  const hasWork = lag.batches + lag.waiting + lag.aheadBatches + lag.pacedBatches + (lag.messages ?? 0) > 0;
  return workers.length === 0 && hasWork;
}

/** Why no worker serves it, where one said so; else that none does. */
export function unservedCause({ notes }: Shard): string {
  return notes.find((note) => note.includes('cannot serve it')) ?? 'no worker serves it';
}
