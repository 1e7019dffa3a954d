import type { Pool } from 'pg';
import type { JobNodes } from '../ports/job-nodes.ts';

export function createJobNodes({ pool }: { pool: Pool }): JobNodes {
  return {
    beat: async ({ owner, kind, region, figures }, ttlMs) => {
      await pool.query(
        `insert into job_nodes (owner, kind, region, expires_at, figures)
         values ($1, $2, $3, now() + $4 * interval '1 millisecond', $5::jsonb)
         on conflict (owner) do update set expires_at = excluded.expires_at, figures = excluded.figures`,
        [owner, kind, region, ttlMs, JSON.stringify(figures)],
      );
    },
    leave: async (owner) => {
      await pool.query("delete from job_nodes where owner = $1 or expires_at < now() - interval '1 day'", [owner]);
    },
  };
}
