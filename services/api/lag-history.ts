import type { Clock } from '../../shared/ports/clock.ts';

const stepMs = 30_000;
const steps = 30;

/** What is remembered of a shard's lag at a moment. */
export interface LagSample {
  /** Null where nothing moved: how long it takes nobody can say. */
  seconds: number | null;
  batches: number;
}

export interface LagHistory {
  add(shard: string, sample: LagSample): void;
  /** Of the last fifteen minutes, a value for each half minute, oldest first; null where nobody looked. */
  of(shard: string): { seconds: (number | null)[]; batches: (number | null)[] };
}

/** Thirty samples for each shard, in this process: what it saw last of each half minute. */
export function createLagHistory({ clock }: { clock: Pick<Clock, 'monotonicMs'> }): LagHistory {
  const byShard = new Map<string, Map<number, LagSample>>();
  const stepNow = () => Math.floor(clock.monotonicMs() / stepMs);

  return {
    add: (shard, sample) => {
      const samples = byShard.get(shard) ?? new Map<number, LagSample>();
      byShard.set(shard, samples);
      const now = stepNow();
      samples.set(now, sample);
      for (const step of samples.keys()) if (step <= now - steps) samples.delete(step);
    },
    of: (shard) => {
      const first = stepNow() - steps + 1;
      const samples = Array.from({ length: steps }, (_, index) => byShard.get(shard)?.get(first + index));
      return {
        seconds: samples.map((sample) => sample?.seconds ?? null),
        batches: samples.map((sample) => sample?.batches ?? null),
      };
    },
  };
}
