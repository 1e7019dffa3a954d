/** Measurements of one turn of a contestant. */
export interface Turn {
  /** Batches through both steps per second. */
  rate: number;
  /** CPU microseconds per batch, by process. */
  cpu: Record<string, number>;
}

/** A turn with the most calls that its endpoints had under way at once. */
export interface MeasuredTurn extends Turn {
  callsAtOnce: number;
}

/** A system that runs batches through two steps. Contestants take turns on the same servers and endpoints. */
export interface Contestant {
  readonly name: string;
  /**
   * `kept`: each step's outcome rows are committed before the next step begins; `none`: a crash loses outcomes; `any`:
   * all others are compared with this contestant.
   */
  readonly promise: 'kept' | 'none' | 'any';
  /** @param batches number of batches to run; slow contestants run fewer */
  takeTurn(latencyMs: number, batches: number): Promise<Turn>;
}

/** Converts microseconds by process to microseconds per batch. Processes with less than one are left out. */
export function perBatch(micros: Readonly<Record<string, number>>, batches: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(micros)
      .map(([process, value]) => [process, value / batches] as const)
      .filter(([, value]) => value >= 1),
  );
}
