import type { Pool } from 'pg';

/** More than this is seen in times that people read, and in when jobs are called. */
export const mostApartMs = 1000;

/** Compares this machine's clock with the database's, and throws where they are apart. */
export async function lookAtClock(pool: Pool): Promise<string> {
  const before = Date.now();
  const { rows } = await pool.query<{ at: Date }>('select clock_timestamp() as at');
  const after = Date.now();
  const at = rows[0]?.at.getTime() ?? Number.NaN;
  // Somewhere between the two moments it was asked.
  const apartMs = Math.max(0, before - at, at - after);
  if (!(apartMs <= mostApartMs)) throw new Error(`this machine and the database are ${Math.round(apartMs)} ms apart`);
  return `this machine's and the database's agree to ${mostApartMs} ms; zone data ${process.versions['tz'] ?? 'unknown'}`;
}
