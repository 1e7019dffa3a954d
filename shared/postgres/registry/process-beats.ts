import type { Pool } from 'pg';
import type { Clock } from '../../ports/clock.ts';
import { createLoop } from '../../runtime/loop.ts';
import type { Logger } from '../../runtime/logger.ts';
import { packageVersion } from '../../runtime/process/version.ts';
import { statementOf } from '../connection/statement.ts';

/** One small statement, so that it costs nothing that could be measured, however many processes there are. */
const beatEveryMs = 30_000;
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

/** Says that this process runs, in which version and where, until it stops. Nothing depends on it. */
export function createProcessBeats({ pool, owner, service, region, clock, logger }: ProcessBeatsDeps) {
  const said = { owner, service, region, version: packageVersion, goneAfterMs };
  const loop = createLoop({
    name: 'say-that-it-runs',
    turn: async () => {
      await pool.query(beat.with(said));
      return beatEveryMs;
    },
    ...{ afterErrorMs, clock, logger },
  });
  return {
    start: () => loop.start(),
    stop: async (): Promise<void> => {
      await loop.stop();
      await pool.query('delete from processes where owner = $1', [owner]).catch(() => undefined);
    },
  };
}

interface BeatParams {
  owner: string;
  service: string;
  version: string;
  region: string;
  goneAfterMs: number;
}

/** With it go those that ended a day ago without a word. */
const beat = statementOf<BeatParams>(
  'beat-process',
  ($) => `
  with gone as (delete from processes where expires_at < now() - interval '1 day')
  insert into processes as p (owner, service, version, region, expires_at)
  values (${$('owner')}, ${$('service')}, ${$('version')}, ${$('region')},
    now() + ${$('goneAfterMs')}::float8 * interval '1 ms')
  on conflict (owner) do update set expires_at = excluded.expires_at`,
);
