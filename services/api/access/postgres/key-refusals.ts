import type { Pool } from 'pg';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { CountedRefusals } from '../key-refusals.ts';

/** Adds what was counted to what the keys have. One that is no more is left out. */
export function createRefusalNotes({ pool }: { pool: Pool }) {
  return async (counted: readonly CountedRefusals[]): Promise<void> => {
    await pool.query(
      addRefusals.with({
        keys: counted.map(({ key }) => key),
        counts: counted.map(({ count }) => count),
        agesMs: counted.map(({ lastAgoMs }) => lastAgoMs),
        froms: counted.map(({ lastFrom }) => lastFrom),
      }),
    );
  };
}

interface AddParams {
  keys: string[];
  counts: number[];
  agesMs: number[];
  froms: (string | null)[];
}

/** Rows are locked in one order, as several processes may add at once. */
const addRefusals = statementOf<AddParams>(
  'add-key-refusals',
  ($) => `
  with counted as (
    select w.key, w.count, now() - w.age_ms * interval '1 ms' as at, w.place
    from unnest(${$('keys')}::uuid[], ${$('counts')}::int8[], ${$('agesMs')}::float8[], ${$('froms')}::text[])
      w (key, count, age_ms, place)
  ), locked as (
    select id from api_keys where id = any(${$('keys')}::uuid[]) order by id for no key update
  )
  update api_keys k set refused_count = k.refused_count + c.count,
    last_refused_at = greatest(k.last_refused_at, c.at),
    last_refused_from = case when c.at >= coalesce(k.last_refused_at, c.at) then c.place else k.last_refused_from end
  from locked l join counted c on c.key = l.id where k.id = l.id`,
);
