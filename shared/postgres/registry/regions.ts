import type { Pool } from 'pg';
import type { Regions } from '../../ports/regions.ts';

export function createRegions({ pool }: { pool: Pool }): Regions {
  return {
    enter: async (name) => {
      const { rows } = await pool.query<{ epoch: number; active: boolean }>(enterRegion, [name]);
      const [row] = rows;
      if (!row) throw new Error(`region ${name} could not be entered`);
      return { name, ...row };
    },
  };
}

/**
 * The first part selects a region that this statement inserts; the second part selects a region that existed before.
 */
const enterRegion = `
  with added as (
    insert into regions (name) select $1::text where not exists (select from regions where name = $1)
    on conflict do nothing returning epoch, active
  )
  select epoch::float8 as epoch, active from added union all select epoch::float8, active from regions where name = $1`;
