import type { AudienceEntry } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { Warning } from '../../../../shared/contracts/warnings.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';

export interface EstimatedSource {
  entry: AudienceEntry;
  role: 'include' | 'exclude';
  /** Index of the source among the included or among the excluded sources. */
  index: number;
  country: string;
  /** Number of users of the source; null if unknown. */
  users: number | null;
  /** Snapshot of a segment; null for sources of other kinds. */
  snapshot: string | null;
}

export interface CountedUsers {
  at: Date;
  byCountry: ReadonlyMap<string, number>;
}

export interface SourceEstimates {
  estimatedAt: Date;
  sources: EstimatedSource[];
  /** Exact count; null if the sources were not counted or have changed since their count. */
  counted: CountedUsers | null;
  problems: FieldProblem[];
  warnings: Warning[];
}
