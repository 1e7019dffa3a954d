import { variantName } from '../../../../../shared/postgres/ledger/variants-sql.ts';
import type { Pool } from 'pg';
import { z } from 'zod';
import { usersOf } from '../../../../../shared/domain/step/users-text.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { InvalidCursorError, type Page } from '../../../frame/page.port.ts';
import { UsersNotKeptError } from '../users-not-kept.ts';

export interface HeldOutRow {
  user: string;
  country: string;
  /** Name of the variant that the user would have had; null if the run has none. */
  variant: string | null;
}

export type HeldOutUsers = ReturnType<typeof createHeldOutUsers>;

/** Creates the store of the held-out users of a run, as they were when the audience was fed. */
export function createHeldOutUsers({ pool }: { pool: Pool }) {
  return {
    /**
     * Lists users in the order of countries, feeds and ids. A page reads one row, so it may be shorter than the limit
     * without being the last.
     * @throws {InvalidCursorError} if the cursor is invalid
     * @throws {UsersNotKeptError} if the held-out users of a feed were deleted
     */
    page: async (
      runId: string,
      country: string | undefined,
      limit: number,
      cursor: string | null,
    ): Promise<Page<HeldOutRow>> => {
      const after = cursor === null ? null : placeOf(cursor);
      const { rows: feeds } = await pool.query<FeedRow>(selectFeeds.with({ runId, country: country ?? null }));
      const first = after === null ? 0 : feeds.findIndex(({ feedId }) => feedId === after.feedId);
      if (first < 0) throw notAPlace(cursor ?? '');
      const gone = feeds.find(({ isKept }) => !isKept);
      if (gone) throw new UsersNotKeptError(`held-out users of a run in ${gone.country} are no longer stored`);
      for (const feed of feeds.slice(first)) {
        const place = after?.feedId === feed.feedId ? after : { feedId: feed.feedId, part: 1, taken: 0 };
        const { rows } = await pool.query<{ users: string }>(
          selectPart.with({ feedId: feed.feedId, part: place.part }),
        );
        const [row] = rows;
        if (!row) continue;
        const users = usersOf(row.users);
        const items = users
          .slice(place.taken, place.taken + limit)
          .map((user) => ({ user, country: feed.country, variant: feed.variant }));
        const taken = place.taken + items.length;
        const next = taken < users.length ? { ...place, taken } : { ...place, part: place.part + 1, taken: 0 };
        return { items, next: cursorOf(next) };
      }
      return { items: [], next: null };
    },
  };
}

interface FeedRow {
  feedId: string;
  country: string;
  variant: string | null;
  isKept: boolean;
}

/** Feeds with held-out users, in the order in which users are listed. */
const selectFeeds = statementOf<{ runId: string; country: string | null }>(
  'feeds-of-held-out',
  ($) => `
  select f.feed as "feedId", f.country, ${variantName('f', 'c')} as variant,
    exists (select from held_out_users h where h.feed = f.feed and h.part = 1) as "isKept"
  from feeds f
  join runs r on r.id = f.run
  join revisions c on c.campaign = r.campaign and c.revision = r.revision
  where f.run = ${$('runId')} and (${$('country')}::text is null or f.country = ${$('country')})
    and f.held_out_users > 0
  order by f.country collate "C", f.from_step, f.feed`,
);

const selectPart = statementOf<{ feedId: string; part: number }>(
  'held-out-part',
  ($) => `select users from held_out_users where feed = ${$('feedId')} and part = ${$('part')}`,
);

interface Place {
  feedId: string;
  part: number;
  /** Number of users in this part that were on earlier pages. */
  taken: number;
}

const placeShape = z.tuple([z.guid(), z.int().min(1).max(0x7fffffff), z.int().min(0).max(10_000)]);

function cursorOf({ feedId, part, taken }: Place): string {
  return Buffer.from(JSON.stringify([feedId, part, taken])).toString('base64url');
}

/**
 * Decodes a cursor.
 * @throws {InvalidCursorError} if it is invalid
 */
function placeOf(cursor: string): Place {
  try {
    const [feedId, part, taken] = placeShape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { feedId, part, taken };
  } catch {
    throw notAPlace(cursor);
  }
}

function notAPlace(cursor: string): InvalidCursorError {
  return new InvalidCursorError(`${JSON.stringify(cursor)} is not a cursor of a list of held-out users`);
}
