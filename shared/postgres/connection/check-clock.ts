import type { Pool } from 'pg';

/**
 * Largest difference between clocks that is accepted. A larger difference is visible in displayed times and in the
 * times of calls.
 */
export const mostApartMs = 1000;

/** Compares this machine's clock with the database's. Throws if they differ too much. */
export async function checkClock(pool: Pool): Promise<string> {
  const before = Date.now();
  const { rows } = await pool.query<{ at: Date }>('select clock_timestamp() as at');
  const after = Date.now();
  const at = rows[0]?.at.getTime() ?? Number.NaN;
  // The database read its clock between the two local readings.
  const apartMs = Math.max(0, before - at, at - after);
  if (!(apartMs <= mostApartMs)) throw new Error(`this machine and the database are ${Math.round(apartMs)} ms apart`);
  return `this machine's and the database's agree to ${mostApartMs} ms; zone data ${process.versions['tz'] ?? 'unknown'}`;
}
