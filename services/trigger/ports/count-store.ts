import type { CountQuestion, StoredCountry } from '../../../shared/contracts/campaigns/exact-counts.ts';
import type { SourcePlace } from '../../../shared/contracts/runs/feed-audience.ts';

export interface CountPlace {
  country: string;
  /** Last counted user; null if no user was counted yet. */
  cursor: string | null;
  /** Number of times that this country was restarted because its snapshot was deleted. */
  restarts: number;
}

export interface CountProgress {
  /** Countries that are counted completely or in part. All countries before the one in `place` are complete. */
  countries: readonly StoredCountry[];
  place: CountPlace | null;
}

/** A count that this process owns until its lease ends. */
export interface OwnedCount extends CountProgress {
  countId: string;
  question: CountQuestion;
  /** Sources of each audience, resolved at the beginning of the count; null before. */
  resolved: SourcePlace[][] | null;
  token: number;
}

/** Result of renewing a count. `lost` means that the count was cancelled, or that another trigger owns it. */
export type CountStanding = 'held' | 'too-long' | 'lost';

export type CountEnd = { state: 'done'; key: string } | { state: 'failed'; cause: string };

export interface SavedCount extends CountProgress {
  /** Sources to store; null if they are unchanged. */
  resolved: SourcePlace[][] | null;
  /** Reason why the count waits, as text for users; null if it does not wait. */
  cause: string | null;
}

/** Counts that were requested. Each is owned by at most one trigger at a time. */
export interface CountStore {
  /** Claims the oldest count that no trigger owns. Accounts with fewer counts in progress come first. */
  claim(owner: string, leaseMs: number): Promise<OwnedCount | undefined>;
  renew(count: OwnedCount, leaseMs: number): Promise<CountStanding>;
  /** Stores the progress of a count. Returns false, without writing, if this process no longer owns the count. */
  save(count: OwnedCount, saved: SavedCount): Promise<boolean>;
  end(count: OwnedCount, countries: readonly StoredCountry[], end: CountEnd): Promise<boolean>;
  /** Releases the count, so that another trigger can claim it at once. */
  release(count: OwnedCount): Promise<void>;
}
