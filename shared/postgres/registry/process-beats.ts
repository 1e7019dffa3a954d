import type { Pool } from 'pg';
import type { Clock } from '../../ports/clock.ts';
import { createLoop } from '../../runtime/loop.ts';
import type { Logger } from '../../runtime/logger.ts';
import { packageVersion } from '../../runtime/version.ts';
import { onlyRow } from '../connection/rows.ts';
import { statementOf } from '../connection/statement.ts';

/**
 * Milliseconds between two heartbeats. Each is one small statement, whose cost is not measurable, however many
 * processes run.
 */
const beatEveryMs = 30_000;
/**
 * Milliseconds from the first to the second heartbeat. The first measures the clock's offset, the second reports it.
 */
const untilSecondMs = 1000;
/** Milliseconds after which a process without a heartbeat counts as gone, so that two heartbeats may fail. */
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

/** Clock offset that the process measured with its previous heartbeat. */
interface FoundClock {
  /** Offset from the database's clock. */
  clockAheadMs: number | null;
  /** Uncertainty of the offset: half of the round trip. */
  clockWithinMs: number | null;
}

/** Sends heartbeats with this process's version, region and clock offset. Nothing depends on them. */
export function createProcessBeats({ pool, owner, service, region, clock, logger }: ProcessBeatsDeps) {
  const { node, tz: zoneData = 'unknown' } = process.versions;
  const facts = { owner, service, region, version: packageVersion, node, zoneData, goneAfterMs };
  let found: FoundClock = { clockAheadMs: null, clockWithinMs: null };
  let beats = 0;

  /** Sends a heartbeat. The clock difference assumes that the database reads its clock halfway through the request. */
  async function beatOnce(): Promise<void> {
    const [requestedAt, requestedAtMs] = [clock.now().getTime(), clock.monotonicMs()];
    const { rows } = await pool.query<{ nowMs: number }>(beat.with({ ...facts, ...found }));
    const clockWithinMs = (clock.monotonicMs() - requestedAtMs) / 2;
    found = { clockAheadMs: requestedAt + clockWithinMs - onlyRow(rows).nowMs, clockWithinMs };
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

/** Stores a heartbeat, and deletes processes that expired a day ago. */
const beat = statementOf<BeatParams>(
  'beat-process',
  ($) => `
  with gone as (delete from processes where expires_at < now() - interval '1 day')
  insert into processes as p (owner, service, version, region, node, zone_data, clock_offset_ms, clock_uncertainty_ms,
    expires_at)
  values (${$('owner')}, ${$('service')}, ${$('version')}, ${$('region')}, ${$('node')}, ${$('zoneData')},
    ${$('clockAheadMs')}::float8, ${$('clockWithinMs')}::float8,
    now() + ${$('goneAfterMs')}::float8 * interval '1 ms')
  on conflict (owner) do update set expires_at = excluded.expires_at, clock_offset_ms = excluded.clock_offset_ms,
    clock_uncertainty_ms = excluded.clock_uncertainty_ms
  returning (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
);
