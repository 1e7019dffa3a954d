import type { AudienceEntry } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { Warning } from '../../../../shared/contracts/warnings.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';

export interface EstimatedSource {
  entry: AudienceEntry;
  role: 'include' | 'exclude';
  /** Index among the sources of the same role. */
  index: number;
  country: string;
  /** Null if unknown. */
  users: number | null;
  /** Snapshot of a segment; null for other sources. */
  snapshot: string | null;
}

export interface CountedUsers {
  at: Date;
  byCountry: ReadonlyMap<string, number>;
}

export interface SourceEstimates {
  estimatedAt: Date;
  sources: EstimatedSource[];
  /** Null if the sources were not counted, or have changed since. */
  counted: CountedUsers | null;
  problems: FieldProblem[];
  warnings: Warning[];
}
