import type { CountQuestion, StoredCountry } from '../../../shared/contracts/campaigns/audience-counts.ts';
import type { SourcePlace } from '../../../shared/contracts/runs/feed-audience.ts';

/** The country that is counted now, and how far. */
export interface CountPlace {
  country: string;
  /** The last user that is counted; null: none is. */
  cursor: string | null;
  /** How often its snapshot was gone, and it was begun anew. */
  restarts: number;
}

/** What another trigger goes on with. */
export interface CountProgress {
  /** Those before the place are done. */
  countries: readonly StoredCountry[];
  place: CountPlace | null;
}

/** A count that this process has until its lease is over. */
export interface OwnedCount extends CountProgress {
  countId: string;
  question: CountQuestion;
  /** The sources of each audience, as they were resolved when it began; null: not yet. */
  resolved: SourcePlace[][] | null;
  token: number;
}

/** `lost`: it was cancelled, or another trigger has it. */
export type CountStanding = 'held' | 'too-long' | 'lost';

export type CountEnd = { state: 'done'; key: string } | { state: 'failed'; cause: string };

export interface SavedCount extends CountProgress {
  /** Null: as before. */
  resolved: SourcePlace[][] | null;
  /** What it waits for, for people. */
  cause: string | null;
}

/** Audiences that are to be counted, one trigger each. */
export interface CountStore {
  /** One that waits, or whose trigger has died; of the accounts with the fewest at work, the oldest. */
  claim(owner: string, leaseMs: number): Promise<OwnedCount | undefined>;
  renew(count: OwnedCount, leaseMs: number): Promise<CountStanding>;
  /** False where it is not this one's any more: nothing was written. */
  save(count: OwnedCount, saved: SavedCount): Promise<boolean>;
  end(count: OwnedCount, countries: readonly StoredCountry[], end: CountEnd): Promise<boolean>;
  /** Another trigger may take it at once. */
  release(count: OwnedCount): Promise<void>;
}
