import type { Pool } from 'pg';
import type { UserAnswer } from '../../actions/action.port.ts';
import type { CallBook } from '../call-book.port.ts';

export function createCallBook(pool: Pool): CallBook {
  return {
    begin: async ({ action, key, digest }, keepSeconds) => {
      const { rowCount } = await pool.query(
        `insert into connectors.mail_calls (action, key, digest, expires_at)
         values ($1, $2, $3, clock_timestamp() + $4 * interval '1 second') on conflict do nothing`,
        [action, key, digest, keepSeconds],
      );
      if (rowCount === 1) return { kind: 'new' };
      const { rows } = await pool.query<{ digest: string; results: UserAnswer[] | null }>(
        'select digest, results from connectors.mail_calls where action = $1 and key = $2',
        [action, key],
      );
      const [known] = rows;
      if (known !== undefined && known.digest !== digest) return { kind: 'other' };
      return known?.results ? { kind: 'answered', results: known.results } : { kind: 'new' };
    },
    finish: async ({ action, key }, results) => {
      await pool.query('update connectors.mail_calls set results = $3 where action = $1 and key = $2', [
        action,
        key,
        JSON.stringify(results),
      ]);
    },
    sweep: async () => {
      await pool.query('delete from connectors.mail_calls where expires_at < clock_timestamp()');
    },
  };
}
