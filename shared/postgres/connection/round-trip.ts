import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'pg';

interface Values {
  at: Date;
  atZone: string;
  interval: { days: number; hours: number; minutes: number; seconds: number };
  bytes: Buffer;
  float: number;
  text: string;
  schema: string;
}

const at = new Date('2026-02-03T04:05:06.789Z');
const sent = {
  bytes: Buffer.from([0, 92, 127, 128, 255]),
  float: 0.1 + 0.2,
  text: 'naïve 東京 💡 \\n',
};

/**
 * Sends values of the kinds whose format depends on session settings, and compares the database's answers.
 * @throws an error that names the kinds that came back changed
 */
export async function checkRoundTrip(pool: Pool): Promise<string> {
  const { rows } = await pool.query<Values>(
    `select $1::timestamptz as at, $1::timestamptz::text as "atZone", interval '1 day 02:03:04' as interval,
       $2::bytea as bytes, $3::float8 as float, $4::text as text, current_schema()::text as schema`,
    [at.toISOString(), sent.bytes, sent.float, sent.text],
  );
  const [read] = rows;
  const kinds: [string, boolean][] = [
    ['a time', isDeepStrictEqual(read?.at, at) && read?.atZone === '2026-02-03 04:05:06.789+00'],
    ['an interval', isDeepStrictEqual({ ...read?.interval }, { days: 1, hours: 2, minutes: 3, seconds: 4 })],
    ['bytes', isDeepStrictEqual(read?.bytes, sent.bytes)],
    ['a float', read?.float === sent.float],
    ['a text', read?.text === sent.text],
    ['the schema of tables', read?.schema === 'public'],
  ];
  const wrong = kinds.filter(([, isRight]) => !isRight).map(([kind]) => kind);
  if (wrong.length > 0) throw new Error(`not as they were sent: ${wrong.join(', ')}`);
  return 'a time, an interval, bytes, a float and a text come back as they were sent';
}
