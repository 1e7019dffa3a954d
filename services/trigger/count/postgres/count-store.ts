import type { Pool } from 'pg';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { CountPlace, CountStanding, CountStore, OwnedCount } from '../../ports/count-store.ts';

/** Maximum duration of a count in seconds, which is also that of a dry run. */
const longestSeconds = 6 * 3600;

export function createCountStore({ pool }: { pool: Pool }): CountStore {
  return {
    claim: async (owner, leaseMs) => {
      const { rows } = await pool.query<OwnedCount>(claimOne.with({ owner, leaseMs }));
      return rows[0];
    },
    renew: async ({ countId, token }, leaseMs) => {
      const { rows } = await pool.query<{ standing: CountStanding }>(renewOne.with({ countId, token, leaseMs }));
      return rows[0]?.standing ?? 'lost';
    },
    save: async ({ countId, token }, { countries, place, resolved, cause }) => {
      const written = { countries: JSON.stringify(countries), place, resolved: resolved && JSON.stringify(resolved) };
      return (await pool.query(saveOne.with({ countId, token, cause, ...written }))).rowCount === 1;
    },
    end: async ({ countId, token }, countries, end) => {
      const [key, cause] = end.state === 'done' ? [end.key, null] : [null, end.cause];
      const row = { countId, token, countries: JSON.stringify(countries), state: end.state, key, cause };
      return (await pool.query(endOne.with(row))).rowCount === 1;
    },
    release: async ({ countId, token }) => {
      await pool.query(releaseOne.with({ countId, token }));
    },
  };
}

interface Held {
  countId: string;
  token: number;
}

const isHeld = ($: (param: 'countId' | 'token') => string) =>
  `id = ${$('countId')} and token = ${$('token')}::int and state = 'running'`;

const claimOne = statementOf<{ owner: string; leaseMs: number }>(
  'claim-audience-count',
  ($) => `
  update audience_counts set state = 'running', owner = ${$('owner')}, token = token + 1,
    lease_until = now() + ${$('leaseMs')}::float8 * interval '1 ms', started_at = coalesce(started_at, now())
  where id = (
    select c.id from audience_counts c
    where c.state in ('waiting', 'running') and (c.lease_until is null or c.lease_until <= now())
    order by (
      select count(*) from audience_counts o
      where o.state = 'running' and o.account = c.account and o.lease_until > now()
    ), c.id
    limit 1 for update skip locked
  )
  returning id as "countId", request as question, token, countries, cursor as place, resolved`,
);

const renewOne = statementOf<Held & { leaseMs: number }>(
  'renew-audience-count',
  ($) => `
  update audience_counts set lease_until = now() + ${$('leaseMs')}::float8 * interval '1 ms' where ${isHeld($)}
  returning case when started_at < now() - ${longestSeconds} * interval '1 second' then 'too-long' else 'held' end
    as standing`,
);

interface SavedRow extends Held {
  countries: string;
  place: CountPlace | null;
  resolved: string | null;
  cause: string | null;
}

const saveOne = statementOf<SavedRow>(
  'save-audience-count',
  ($) => `
  update audience_counts set countries = ${$('countries')}::jsonb, cursor = ${$('place')}::jsonb,
    resolved = coalesce(${$('resolved')}::jsonb, resolved), cause = ${$('cause')}
  where ${isHeld($)}`,
);

const endOne = statementOf<
  Held & { countries: string; state: 'done' | 'failed'; key: string | null; cause: string | null }
>(
  'end-audience-count',
  ($) => `
  update audience_counts set state = ${$('state')}, countries = ${$('countries')}::jsonb, resolved = null,
    cursor = null, key = coalesce(${$('key')}::text, key), cause = ${$('cause')}, owner = null, lease_until = null,
    ended_at = now()
  where ${isHeld($)}`,
);

const releaseOne = statementOf<Held>(
  'release-audience-count',
  ($) => `update audience_counts set owner = null, lease_until = null where ${isHeld($)}`,
);
