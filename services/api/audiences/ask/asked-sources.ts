import type { AudienceEntry } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { Warning } from '../../../../shared/contracts/warnings.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';

export interface AskedSource {
  entry: AudienceEntry;
  role: 'include' | 'exclude';
  /** Among those of its role. */
  index: number;
  country: string;
  /** Null where that is unknown. */
  users: number | null;
  /** Of a segment that was described. */
  snapshot: string | null;
}

/** An exact count of the same sources as they are now. */
export interface CountedUsers {
  at: Date;
  byCountry: ReadonlyMap<string, number>;
}

export interface AskedSources {
  askedAt: Date;
  sources: AskedSource[];
  /** Null: they were not counted, or have changed since. */
  counted: CountedUsers | null;
  /** Why the campaign cannot be carried out. */
  problems: FieldProblem[];
  warnings: Warning[];
}
