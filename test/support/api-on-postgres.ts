import type { Pool } from 'pg';
import { afterEach, beforeAll, beforeEach } from 'vitest';
import { createApi, type Api } from '../../services/api/api.ts';
import { createClientStore } from '../../services/api/clients/postgres/client-store.ts';
import { createAccepting } from '../../services/api/jobs/accept/accepting.ts';
import { createScheduleStore } from '../../services/api/schedules/postgres/schedule-store.ts';
import { createJobChanger } from '../../services/api/jobs/change-jobs.ts';
import { createClientSource } from '../../shared/postgres/registry/clients.ts';
import { joinInstallation } from '../../shared/postgres/connection/installation.ts';
import { createJobIntake } from '../../shared/postgres/jobs/job-intake.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { createClientReader } from '../../shared/runtime/installation/client-reader.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { authorized, createApiDeps } from './api-deps.ts';
import { databaseForFile } from './file-database.ts';
import { makeClockSettable, onSettableClock, setClock } from './postgres-clock.ts';

/**
 * The HTTP interface for the test file that calls this at its top, with clients and jobs on a database of its own,
 * empty before each test. Its clock, which is the database's too, stands at the first of January 2026.
 */
export function apiOnPostgres() {
  const database = databaseForFile();
  let pool: Pool | undefined;
  let opened: { deps: Awaited<ReturnType<typeof createDeps>>; api: Api } | undefined;
  const open = () => opened ?? notYet();

  beforeAll(async () => {
    await makeClockSettable(database.pool);
    pool = database.open(createHotPathPool, { connectionString: onSettableClock(database.url) });
  });
  beforeEach(async () => {
    await database.empty();
    await joinInstallation(database.pool, { actionTypes: {} }, { actionTypes: {}, partitionsPerShard: 1 });
    const deps = await createDeps(pool ?? notYet());
    await setClock(database.pool, deps.clock.nowMs());
    opened = { deps, api: await createApi(deps) };
  });
  afterEach(() => opened?.api.close());

  return {
    get deps() {
      return open().deps;
    },
    /** On the settable clock. */
    get pool() {
      return pool ?? notYet();
    },
    /** Listens; where it does. */
    start: () => open().api.start(),
    passTime: async (ms: number) => {
      const { clock } = open().deps;
      clock.advance(ms);
      await setClock(database.pool, clock.nowMs());
    },
    ask: (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
      open().api.server.inject({ method, url, headers: authorized, ...(payload && { payload }) }),
  };
}

async function createDeps(pool: Pool) {
  const deps = await createApiDeps(pool);
  const { clock, logger, jobStore, jobChanges: changes, clientFigures: figures } = deps;
  const clients = createClientReader({ clients: createClientSource({ pool }), clock, logger });
  await clients.refresh();
  const intake = createJobIntake({ pool });
  return {
    ...deps,
    clients,
    clientStore: createClientStore({ pool }),
    schedules: createScheduleStore({ pool, region: 'local', owner: 'a test' }),
    accepting: createAccepting({ clients, intake, figures, owner: 'a test', clock, logger }),
    // What it does takes as long as the database does.
    jobChanger: createJobChanger({ changes, jobStore, clock: systemClock, logger }),
  };
}

function notYet(): never {
  throw new Error('the interface is there from beforeEach on');
}
