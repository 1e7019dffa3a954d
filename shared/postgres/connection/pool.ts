import type { Pool } from 'pg';
import type { Meter } from '../../ports/meter.ts';
import { createFoldedLog } from '../../runtime/folded-log.ts';
import type { Logger } from '../../runtime/logger.ts';
import { processMetrics } from '../../runtime/meter/process-metrics.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { watchDisk } from './disk-watch.ts';
import { openPool } from './servers/servers.ts';
import type { SessionSettings } from './servers/session-settings.ts';

export interface PoolDeps {
  connectionString: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Connections at most. */
  max?: number;
  logger: Logger;
  /** Where its connections are counted; nowhere for one-shot commands. */
  meter?: Meter;
}

/** A pool for ordinary statements: stores that are asked a few times a second. */
export function createPool(deps: PoolDeps): Pool {
  return poolWith(deps, {});
}

/**
 * A pool for the ledger and the feeds, whose few named statements run thousands of times and must keep one good plan. A
 * plan that was made while the tables were empty may otherwise stay a sequential scan for ever;
 * `docs/execution-path.md` has the figures.
 */
export function createHotPathPool(deps: PoolDeps): Pool {
  return poolWith(deps, { planning: keptPlans });
}

const keptPlans = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

/**
 * The scheduler's sweep looks 10 s back for jobs whose commit came late: a statement that accepts them must have ended
 * by then.
 */
const acceptTimeoutMs = 8_000;

/** A pool for accepting jobs: as the hot path, with statements that end before it is asked what became of them. */
export function createAcceptPool(deps: PoolDeps): Pool {
  return poolWith(deps, { planning: keptPlans, statementTimeoutMs: acceptTimeoutMs, answerWithinMs: 1_000 });
}

/** Longer than sorting some ten million rows of an upload takes. */
const uploadTimeoutMs = 600_000;

/** A pool for uploads, which hold a connection while their rows come and sort them in one long statement. */
export function createUploadPool(deps: PoolDeps): Pool {
  return poolWith(deps, { statementTimeoutMs: uploadTimeoutMs });
}

interface SessionTerms {
  /** Settings of the planner. */
  planning?: SessionSettings;
  statementTimeoutMs?: number;
  /** Beyond that, what the server says of it has to be here. */
  answerWithinMs?: number;
}

function poolWith(deps: PoolDeps, terms: SessionTerms): Pool {
  const { connectionString, applicationName, max = 10, logger, meter } = deps;
  const { planning = {}, statementTimeoutMs = 30_000, answerWithinMs = 10_000 } = terms;
  const pool = openPool(
    connectionString,
    {
      application_name: applicationName,
      max,
      connectionTimeoutMillis: 10_000,
      // The server cannot time out what it does not answer at all: a frozen server, a cut network.
      query_timeout: statementTimeoutMs + answerWithinMs,
      keepAlive: true,
    },
    {
      statement_timeout: statementTimeoutMs,
      // A process that was frozen in the middle of a transaction must not hold its row locks.
      idle_in_transaction_session_timeout: 15_000,
      ...planning,
    },
  );
  const connections = createFoldedLog({ logger, clock: systemClock, failing: 'lost a connection to Postgres' });
  // Without a listener, a connection that breaks while checked out would end the process.
  pool.on('connect', (client) => {
    connections.worked(pool);
    client.on('error', (error) => connections.failed(pool, error));
  });
  // Idle connections are reported here as well; the pool has already replaced them.
  pool.on('error', () => undefined);
  if (meter) watchDisk(pool, meter);
  meter?.gauge({
    ...processMetrics.connections,
    collect: (gauge) => {
      const set = (state: string, value: number) => gauge.of({ pool: applicationName, state }).set(value);
      set('busy', pool.totalCount - pool.idleCount);
      set('idle', pool.idleCount);
      set('waiting', pool.waitingCount);
    },
  });
  return pool;
}
