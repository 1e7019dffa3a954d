import type { Pool } from 'pg';
import { z } from 'zod';
import { usersTextOf } from '../../shared/domain/step/users-text.ts';

/** Cap as `cap_revisions` stores it. */
export interface StoredCap {
  name: string;
  actionTypes: readonly string[];
  effects: number;
  days: number;
  counting: 'rolling' | 'calendar';
  countsFrom: string;
  countries?: readonly string[];
  exempt?: readonly string[];
}

/** Returns a cap of one `send-message` a week that counts all effects ever, with changes. */
export function capOf(changes: Partial<StoredCap> = {}): StoredCap {
  const window = { effects: 1, days: 7, counting: 'rolling', countsFrom: '2000-01-01T00:00:00.000Z' } as const;
  return { name: 'weekly-messages', actionTypes: ['send-message'], ...window, ...changes };
}

/** Replaces the caps in force. */
export async function setCaps(pool: Pool, caps: readonly StoredCap[]): Promise<void> {
  await pool.query(
    `insert into cap_revisions (revision, caps) select coalesce(max(revision), 0) + 1, $1 from cap_revisions`,
    [JSON.stringify(caps)],
  );
}

/** Row of effects of a batch. */
interface AddedEffects {
  feedId: string;
  batchNo: number;
  step?: number;
  users: readonly string[];
  action?: string;
  country?: string;
}

export async function addEffects(
  pool: Pool,
  { feedId, batchNo, step = 1, users, action = 'send-message', country = 'SG' }: AddedEffects,
): Promise<void> {
  await pool.query(
    `insert into capped_effects (feed, batch_no, step, action_type, country, campaign, users, span)
     select $1, $2, $3, $4, $5, r.campaign, $6, span_of_users($5, $7, $8)
     from feeds f join runs r on r.id = f.run where f.feed = $1`,
    [feedId, batchNo, step, action, country, usersTextOf(users), users.at(0), users.at(-1)],
  );
}

/** Returns the users whose effects count, by batch, step and position in the batch. */
export async function effectsOf(
  pool: Pool,
  feedId: string,
): Promise<{ batchNo: number; step: number; users: string[] }[]> {
  const { rows } = await pool.query<{ batchNo: number; step: number; users: string }>(
    `select batch_no as "batchNo", step, users from capped_effects where feed = $1 order by batch_no, step`,
    [feedId],
  );
  return rows.map(({ users, ...key }) => ({ ...key, users: z.array(z.string()).parse(JSON.parse(`[${users}]`)) }));
}
