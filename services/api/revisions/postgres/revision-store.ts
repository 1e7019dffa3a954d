import type { Pool } from 'pg';
import { pageOf } from '../../frame/postgres/pages.ts';
import type { ListedRevision, Revision, Revisions, RevisionStore } from '../revisions.port.ts';

export function createRevisions({ pool }: { pool: Pool }): Revisions {
  return {
    campaign: storeOf(pool, selectPage('campaign'), selectOne('campaign')),
    template: storeOf(pool, selectPage('template'), selectOne('template')),
    savedAudience: storeOf(pool, selectPage('saved_audience'), selectOne('saved_audience')),
  };
}

function storeOf<Definition>(pool: Pool, pageText: string, oneText: string): RevisionStore<Definition> {
  return {
    page: async (subject, limit, before) => {
      const { rows } = await pool.query<ListedRevision>(pageText, [subject, before, limit + 1]);
      return pageOf(rows, limit, ({ revision }) => String(revision));
    },

    find: async (subject, revision) => {
      const { rows } = await pool.query<Revision<Definition>>(oneText, [subject, revision]);
      return rows[0];
    },
  };
}

/** Columns of `revisions` that refer to the object of a revision. */
type Column = 'campaign' | 'template' | 'saved_audience';

const selectPage = (subject: Column) => `
  select revision, definition ->> 'name' as name, created_at as "createdAt" from revisions
  where ${subject} = $1 and ($2::int is null or revision < $2) order by revision desc limit $3`;

const selectOne = (subject: Column) => `
  select revision, definition, created_at as "createdAt" from revisions
  where ${subject} = $1 and revision = $2`;
