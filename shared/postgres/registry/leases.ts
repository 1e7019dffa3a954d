import type { Pool } from 'pg';
import type { Leases } from '../../ports/leases.ts';
import { plainArray, textArray } from '../connection/array-literals.ts';
import { statementOf } from '../connection/statement.ts';

/**
 * Maximum time of a statement on many leases. Holders use their leases for ten seconds: a statement without an answer
 * within this time is retried on another connection, before the leases expire.
 */
const manyWithinMs = 3000;

/**
 * Stores leases. `now()` is the start of the statement, so a lease that waited for a lock ends at most `ttlMs` after
 * the request. Holders therefore count from the request.
 */
export function createLeases({ pool }: { pool: Pool }): Leases {
  return {
    acquire: async (name, owner, ttlMs) => {
      const { rows } = await pool.query<{ token: number }>(acquireLease, [name, owner, ttlMs]);
      const [row] = rows;
      return row ? { name, owner, token: row.token } : null;
    },

    acquireSome: async (wanted, owner, ttlMs) => {
      const all = wanted.flatMap(({ names, count }, kind) => names.map((name) => ({ name, kind, count })));
      const statement = acquireLeases.with({
        names: textArray(all.map(({ name }) => name)),
        kinds: plainArray(all.map(({ kind }) => kind)),
        counts: plainArray(all.map(({ count }) => count)),
        owner,
        ttlMs,
      });
      const query = { ...statement, query_timeout: manyWithinMs };
      const { rows } = await pool.query<{ name: string; token: number }>(query);
      return rows.map(({ name, token }) => ({ name, owner, token }));
    },

    renew: async ({ name, owner, token }, ttlMs) => {
      const { rowCount } = await pool.query(
        `update leases set expires_at = greatest(expires_at, now() + $4 * interval '1 ms') where ${isHeld}`,
        [name, owner, token, ttlMs],
      );
      return rowCount === 1;
    },

    // The row stays, because its token must keep growing.
    release: async ({ name, owner, token }) => {
      await pool.query(`update leases set owner = null, expires_at = now() where ${isHeld}`, [name, owner, token]);
    },

    releaseAll: async (held) => {
      const statement = releaseLeases.with({
        names: textArray(held.map(({ name }) => name)),
        owners: textArray(held.map(({ owner }) => owner)),
        tokens: plainArray(held.map(({ token }) => token)),
      });
      const query = { ...statement, query_timeout: manyWithinMs };
      await pool.query(query);
    },
  };
}

/** Condition on `leases` for the name, owner and token in $1 to $3. */
export const isHeld = `name = $1 and owner = $2 and token = $3 and expires_at > now()`;

/**
 * Expiry of a lease on conflict. A renewal that got no answer may take effect after its repetition: it must not shorten
 * the lease, because its holder counts on the later expiry.
 */
const renewedExpiry = `case when l.owner = excluded.owner then greatest(l.expires_at, excluded.expires_at)
      else excluded.expires_at end`;

const acquireLease = `
  insert into leases as l (name, owner, token, expires_at) values ($1, $2, 1, now() + $3 * interval '1 ms')
  on conflict (name) do update set
    owner = excluded.owner,
    token = case when l.owner = excluded.owner and l.expires_at > now() then l.token else l.token + 1 end,
    expires_at = ${renewedExpiry}
  where l.owner is null or l.owner = excluded.owner or l.expires_at <= now()
  returning token::float8 as token`;

interface AcquireParams {
  names: string;
  /** Kind of each name, and the number of leases wanted of that kind. */
  kinds: string;
  counts: string;
  owner: string;
  ttlMs: number;
}

/**
 * Acquires leases without locking rows of other owners: waiting processes retry ten times a second. Rows are locked by
 * name, as in all statements on many leases.
 */
const acquireLeases = statementOf<AcquireParams>(
  'acquire-leases',
  ($) => `
  with free as (
    select w.name, w.count, row_number() over (partition by w.kind order by w.nth) as place
    from unnest(${$('names')}::text[], ${$('kinds')}::int4[], ${$('counts')}::int4[])
      with ordinality as w (name, kind, count, nth)
    where not exists (
      select from leases l where l.name = w.name and l.owner <> ${$('owner')} and l.expires_at > now()
    )
  )
  insert into leases as l (name, owner, token, expires_at)
  select name, ${$('owner')}, 1, now() + ${$('ttlMs')} * interval '1 ms' from free where place <= count order by name
  on conflict (name) do update set
    owner = excluded.owner,
    token = case when l.owner = excluded.owner and l.expires_at > now() then l.token else l.token + 1 end,
    expires_at = ${renewedExpiry}
  where l.owner is null or l.owner = excluded.owner or l.expires_at <= now()
  returning l.name, l.token::float8 as token`,
);

const releaseLeases = statementOf<{ names: string; owners: string; tokens: string }>(
  'release-leases',
  ($) => `
  with held as (
    select l.name
    from unnest(${$('names')}::text[], ${$('owners')}::text[], ${$('tokens')}::int8[]) as h (name, owner, token)
    join leases l on l.name = h.name and l.owner = h.owner and l.token = h.token and l.expires_at > now()
    order by l.name for update of l
  )
  update leases l set owner = null, expires_at = now() from held where l.name = held.name`,
);
