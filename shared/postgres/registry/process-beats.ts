import type { Pool } from 'pg';
import type { Clock } from '../../ports/clock.ts';
import { createLoop } from '../../runtime/loop.ts';
import type { Logger } from '../../runtime/logger.ts';
import { packageVersion } from '../../runtime/version.ts';
import { onlyRow } from '../connection/rows.ts';
import { statementOf } from '../connection/statement.ts';

/** One small statement, so that it costs nothing that could be measured, however many processes there are. */
const beatEveryMs = 30_000;
/** The first one finds out how the clock is, the next one says it. */
const untilSecondMs = 1000;
/** Two may fail. */
const goneAfterMs = 90_000;
const afterErrorMs = 5000;

export interface ProcessBeatsDeps {
  pool: Pool;
  owner: string;
  service: string;
  region: string;
  clock: Clock;
  logger: Logger;
}

/** How a clock is, as the process found it with the beat before. */
interface FoundClock {
  /** Of the database's. */
  clockAheadMs: number | null;
  /** By how much that may be wrong: half of the way there and back. */
  clockWithinMs: number | null;
}

/**
 * Says that this process runs, in which version and where, and how its clock is, until it stops. Nothing depends on
 * it.
 */
export function createProcessBeats({ pool, owner, service, region, clock, logger }: ProcessBeatsDeps) {
  const { node, tz: zoneData = 'unknown' } = process.versions;
  const said = { owner, service, region, version: packageVersion, node, zoneData, goneAfterMs };
  let found: FoundClock = { clockAheadMs: null, clockWithinMs: null };
  let beats = 0;

  /** The database answered somewhere between the two moments: its time is taken for that of the middle. */
  async function beatOnce(): Promise<void> {
    const [asked, askedAtMs] = [clock.now().getTime(), clock.monotonicMs()];
    const { rows } = await pool.query<{ nowMs: number }>(beat.with({ ...said, ...found }));
    const clockWithinMs = (clock.monotonicMs() - askedAtMs) / 2;
    found = { clockAheadMs: asked + clockWithinMs - onlyRow(rows).nowMs, clockWithinMs };
  }

  const loop = createLoop({
    name: 'say-that-it-runs',
    turn: async () => {
      await beatOnce();
      beats += 1;
      return beats === 1 ? untilSecondMs : beatEveryMs;
    },
    afterErrorMs,
    clock,
    logger,
  });
  return {
    start: () => loop.start(),
    stop: async (): Promise<void> => {
      await loop.stop();
      await pool.query('delete from processes where owner = $1', [owner]).catch(() => undefined);
    },
  };
}

interface BeatParams extends FoundClock {
  owner: string;
  service: string;
  version: string;
  region: string;
  node: string;
  zoneData: string;
  goneAfterMs: number;
}

/** With it go those that ended a day ago without a word. */
const beat = statementOf<BeatParams>(
  'beat-process',
  ($) => `
  with gone as (delete from processes where expires_at < now() - interval '1 day')
  insert into processes as p (owner, service, version, region, node, zone_data, clock_ahead_ms, clock_within_ms,
    expires_at)
  values (${$('owner')}, ${$('service')}, ${$('version')}, ${$('region')}, ${$('node')}, ${$('zoneData')},
    ${$('clockAheadMs')}::float8, ${$('clockWithinMs')}::float8,
    now() + ${$('goneAfterMs')}::float8 * interval '1 ms')
  on conflict (owner) do update set expires_at = excluded.expires_at, clock_ahead_ms = excluded.clock_ahead_ms,
    clock_within_ms = excluded.clock_within_ms
  returning (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
);
