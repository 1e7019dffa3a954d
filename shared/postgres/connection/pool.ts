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
  /** Name of the connections in pg_stat_activity. */
  applicationName: string;
  max?: number;
  logger: Logger;
  /** Meter that counts the connections; absent for one-shot commands. */
  meter?: Meter;
}

/** Creates a pool for ordinary statements, which run a few times a second. */
export function createPool(deps: PoolDeps): Pool {
  return poolWith(deps, {});
}

/**
 * Creates a pool for the ledger and the feeds, whose few named statements run thousands of times and must keep one good
 * plan. Otherwise a plan made while the tables were empty may stay a sequential scan for ever (docs/execution-path.md).
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
 * Timeout of statements that accept jobs. The scheduler's sweep looks 10 s back for jobs whose commit came late, and
 * such a statement must have ended by then.
 */
const acceptTimeoutMs = 8_000;

/** Creates a pool for accepting jobs: like the hot path, with statements that end before the scheduler's sweep. */
export function createAcceptPool(deps: PoolDeps): Pool {
  return poolWith(deps, { planning: keptPlans, statementTimeoutMs: acceptTimeoutMs, answerWithinMs: 1_000 });
}

/** Statement timeout in milliseconds, longer than it takes to sort some ten million rows of an upload. */
const uploadTimeoutMs = 600_000;

/** Creates a pool for uploads, which hold a connection while rows arrive, and sort them in one long statement. */
export function createUploadPool(deps: PoolDeps): Pool {
  return poolWith(deps, { statementTimeoutMs: uploadTimeoutMs });
}

interface SessionTerms {
  planning?: SessionSettings;
  statementTimeoutMs?: number;
  /** Time beyond the statement timeout within which the server's answer must arrive. */
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
      // Covers a server that does not answer at all, and so cannot time out: a frozen server, a cut network.
      query_timeout: statementTimeoutMs + answerWithinMs,
      keepAlive: true,
    },
    {
      statement_timeout: statementTimeoutMs,
      // A process that froze in the middle of a transaction must not keep its row locks.
      idle_in_transaction_session_timeout: 15_000,
      ...planning,
    },
  );
  const connections = createFoldedLog({ logger, clock: systemClock, failing: 'lost a connection to Postgres' });
  // Without a listener, a checked-out connection that breaks would end the process.
  pool.on('connect', (client) => {
    connections.worked(pool);
    client.on('error', (error) => connections.failed(pool, error));
  });
  // Errors of idle connections are already logged above; the pool has replaced these connections.
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
