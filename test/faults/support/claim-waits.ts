import type { Observer } from './observer.ts';

const pollEveryMs = 200;
/** Heartbeats come every two seconds. After a longer gap, a dispatcher or its database was frozen. */
const longestGapMs = 4000;

export interface ClaimWaits {
  /** Longest time in which all beats of a dispatcher reported claimed jobs without a slot, and no call under way. */
  longestWaitMs(): number;
  end(): void;
}

interface BeatRow {
  owner: string;
  at: Date;
  isWaiting: boolean;
}

/** Watches what dispatchers report of themselves, by the times of their beats. The time of a freeze does not count. */
export function watchClaims(database: Observer): ClaimWaits {
  const waits = new Map<string, { firstMs: number; lastMs: number }>();
  let longestMs = 0;

  async function read(): Promise<void> {
    const beats = await database.rows<BeatRow>(
      `select owner, expires_at as at,
         coalesce((figures->>'waiting')::int, 0) > 0 and coalesce((figures->>'inFlight')::int, 0) = 0 as "isWaiting"
       from job_nodes where kind = 'dispatcher'`,
    );
    for (const { owner, at, isWaiting } of beats) {
      if (!isWaiting) {
        waits.delete(owner);
        continue;
      }
      const lastMs = at.getTime();
      const before = waits.get(owner);
      const firstMs = before && lastMs - before.lastMs <= longestGapMs ? before.firstMs : lastMs;
      waits.set(owner, { firstMs, lastMs });
      longestMs = Math.max(longestMs, lastMs - firstMs);
    }
  }

  // A frozen database answers none of these queries.
  const looking = setInterval(() => void read().catch(() => undefined), pollEveryMs);
  return { longestWaitMs: () => longestMs, end: () => clearInterval(looking) };
}
