import type { RejectedLineShape } from '../../../shared/contracts/runs/settlements.ts';
import type { SettlementCounts, SettlementMethod } from '../../../shared/ports/settlements.ts';

/** A line of a file that settled no user. */
export interface RejectedLine extends RejectedLineShape {
  /** What is wrong with it, as a stable code. */
  rule: 'malformed' | 'too-long' | 'invalid-step' | 'invalid-outcome' | 'not-unknown' | 'settled-otherwise';
}

export interface NewSettlement {
  /** Uuid v7. One that exists is not begun again. */
  settlementId: string;
  runId: string;
  method: SettlementMethod;
  /** Who asks; null where the caller is unknown. */
  apiKey: { keyId: string; name: string } | null;
  /** By status: what is asked for; null for all. */
  step: number | null;
  country: string | null;
}

export interface SettlementRecord extends NewSettlement {
  /** `running`: not all is read, or asked for. `failed`: it could not go on; what was settled stays. */
  state: 'running' | 'done' | 'failed';
  cause: string | null;
  counts: SettlementCounts;
  /** The first thousand. */
  rejects: readonly RejectedLine[];
  createdAt: Date;
  endedAt: Date | null;
}
