import type { Pool } from 'pg';
import type { Leases } from '../../ports/leases.ts';

/**
 * `now()` is when the statement began, so a lease that had to wait for a lock ends no later than `ttlMs` after it was
 * asked for: holders count from there.
 */
export function createLeases({ pool }: { pool: Pool }): Leases {
  return {
    acquire: async (name, owner, ttlMs) => {
      const { rows } = await pool.query<{ token: number }>(acquireLease, [name, owner, ttlMs]);
      const [row] = rows;
      return row ? { name, owner, token: row.token } : null;
    },

    renew: async ({ name, owner, token }, ttlMs) => {
      const { rowCount } = await pool.query(
        `update leases set expires_at = now() + $4 * interval '1 ms' where ${isHeld}`,
        [name, owner, token, ttlMs],
      );
      return rowCount === 1;
    },

    // The row stays: the token must go on growing.
    release: async ({ name, owner, token }) => {
      await pool.query(`update leases set owner = null, expires_at = now() where ${isHeld}`, [name, owner, token]);
    },
  };
}

/** Condition on `leases` for the name, owner and token in $1 to $3. */
export const isHeld = `name = $1 and owner = $2 and token = $3 and expires_at > now()`;

const acquireLease = `
  insert into leases as l (name, owner, token, expires_at) values ($1, $2, 1, now() + $3 * interval '1 ms')
  on conflict (name) do update set
    owner = excluded.owner,
    token = case when l.owner = excluded.owner and l.expires_at > now() then l.token else l.token + 1 end,
    expires_at = excluded.expires_at
  where l.owner is null or l.owner = excluded.owner or l.expires_at <= now()
  returning token::float8 as token`;
