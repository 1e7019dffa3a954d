import type { Pool } from 'pg';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { GroupRecord, GroupStore } from '../schedule-store.port.ts';

export function createGroupStore({ pool }: { pool: Pool }): GroupStore {
  return {
    listGroups: async () => {
      const { rows } = await pool.query<GroupRecord>(`${select} order by name collate "C"`);
      return rows;
    },

    getGroup: async (name) => {
      const { rows } = await pool.query<GroupRecord>(`${select} where name = $1`, [name]);
      return rows[0];
    },

    putGroup: async (group) => {
      const { name } = group;
      await pool.query(put.with(group));
      const { rows } = await pool.query<GroupRecord>(`${select} where name = $1`, [name]);
      if (!rows[0]) throw new Error(`group ${name} was deleted while it was written`);
      return rows[0];
    },

    removeGroup: async (name) => {
      await pool.query('delete from schedule_groups where name = $1', [name]);
    },
  };
}

const select = `
  select name, home_region as "homeRegion", fallback_seconds as "fallbackSeconds", tags, countries, revision,
    created_at as "createdAt", updated_at as "updatedAt"
  from schedule_groups`;

const put = statementOf<Parameters<GroupStore['putGroup']>[0]>(
  'put-group',
  ($) => `
  insert into schedule_groups as g (name, home_region, fallback_seconds, tags, countries)
  values (${$('name')}, ${$('homeRegion')}, ${$('fallbackSeconds')}, ${$('tags')}, ${$('countries')})
  on conflict (name) do update set home_region = excluded.home_region, fallback_seconds = excluded.fallback_seconds,
    tags = excluded.tags, countries = excluded.countries, revision = g.revision + 1, updated_at = now()
  where (g.home_region, g.fallback_seconds, g.tags, g.countries)
    is distinct from (excluded.home_region, excluded.fallback_seconds, excluded.tags, excluded.countries)`,
);
