/** What one turn of a contestant measured. */
export interface Turn {
  /** Batches through both steps per second. */
  rate: number;
  /** CPU microseconds per batch, by process. */
  cpu: Record<string, number>;
}

/** One way to get batches through two steps. Contestants take turns on the same servers and endpoints. */
export interface Contestant {
  readonly name: string;
  /** @param batches to be served; the naive loop takes its own, fewer */
  takeTurn(latencyMs: number, batches: number): Promise<Turn>;
}

/** Microseconds by process to microseconds per batch; what took less than one is left out. */
export function perBatch(micros: Readonly<Record<string, number>>, batches: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(micros)
      .map(([process, value]) => [process, value / batches] as const)
      .filter(([, value]) => value >= 1),
  );
}
