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

/** Who settled what, and how far it has come. */
export interface SettlementRequests {
  /**
   * Undefined while the run has not ended, or where there is none. Once it has ended, no worker settles its users any
   * more.
   */
  begin(settlement: NewSettlement): Promise<SettlementRecord | undefined>;
  /** Of a person or a file: all lines are read. */
  end(
    settlementId: string,
    end: { state: 'done' | 'failed'; cause: string | null; rejects: readonly RejectedLine[] },
  ): Promise<void>;
  get(runId: string, settlementId: string): Promise<SettlementRecord | undefined>;
  /** Newest first, at most so many. */
  list(runId: string, limit: number): Promise<SettlementRecord[]>;
}
