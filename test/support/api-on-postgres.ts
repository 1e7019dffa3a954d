import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createApi, type Api } from '../../services/api/api.ts';
import type { BaseParts } from '../../services/api/frame/parts.ts';
import type { Quotas } from '../../shared/domain/quotas.ts';
import { joinInstallation } from '../../shared/postgres/registry/installation.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';
import { digestOfApiKey } from '../../shared/runtime/installation/api-key-secret.ts';
import { installationConfigOf } from '../../shared/runtime/installation/installation-config.ts';
import { authorized, createApiDeps, testApiKey, type ApiDeps } from './api-deps.ts';
import { databaseForFile } from './file-database.ts';
import { settled } from './pass-time.ts';
import { makeClockSettable, onSettableClock, setClock } from './postgres-clock.ts';

/**
 * Starts the API for the test file that calls this at its top, on its own database. Before each test, the database
 * contains an installation with two action types, three countries and one key, and nothing else. The clock, also that
 * of the database, shows 1 January 2026.
 * @param terms.begun `once` if the tests change nothing
 * @param terms.quotas if they differ from the usual ones
 */
export function apiOnPostgres({ begun = 'before each test', quotas = {} }: ApiTerms = {}) {
  const database = databaseForFile();
  const closing: (() => unknown)[] = [];
  const onClose: BaseParts['onClose'] = (resource, close) => {
    closing.unshift(() => close(resource));
    return resource;
  };
  let opened: { deps: ApiDeps; api: Api; key: string } | undefined;
  const open = () => opened ?? notYet();
  let tests = 0;
  let listening: Promise<string> | undefined;

  beforeAll(async () => {
    await makeClockSettable(database.pool);
    const deps = createApiDeps(onSettableClock(database.url), onClose, { ...usualQuotas, ...quotas });
    opened = { deps, api: onClose(await createApi(deps), (api) => api.close()), key: '' };
  });
  const before = begun === 'once' ? beforeAll : beforeEach;
  before(async () => {
    const { deps, api } = open();
    deps.clock.restart();
    deps.group.traffic.clear();
    await database.empty();
    await setClock(database.pool, deps.clock.nowMs());
    const { engine } = deps.config;
    await joinInstallation(database.pool, installationConfigOf(engine), engine);
    await forgetSnapshots();
    const { key } = await deps.apiKeys.add({ name: 'a test', digest: digestOfApiKey(testApiKey), role: 'operator' });
    await Promise.all([deps.registry.refresh(), deps.clients.refresh()]);
    opened = { deps, api, key };
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  /** Resolves when the database has been idle for some turns. */
  async function answered(): Promise<void> {
    const { pool } = open().deps;
    for (let quietTurns = 0; quietTurns < 3;) {
      await settled();
      quietTurns = pool.idleCount === pool.totalCount && pool.waitingCount === 0 ? quietTurns + 1 : 0;
    }
  }

  /**
   * Makes all cached snapshots outdated: the emptied database uses none of the revisions again that were read before.
   */
  async function forgetSnapshots(): Promise<void> {
    tests += 1;
    const moved = 'update installation set registry_revision = registry_revision + $1, clients_revision = $1';
    await database.pool.query(moved, [tests * 1000]);
  }

  return {
    get deps() {
      return open().deps;
    },
    /** The API server, one for all tests of the file. */
    get api() {
      return open().api;
    },
    /** Listens and returns the address. */
    start: () => (listening ??= open().api.start()),
    /** Key that `authorized` carries. */
    get key() {
      return open().key;
    },
    /** Pool on the settable clock. */
    get pool() {
      return open().deps.pool;
    },
    /** Returns all rows of a table. */
    rowsOf: async (table: string) => (await database.pool.query<Record<string, unknown>>(`table ${table}`)).rows,
    /** Advances the clock from one sleeper to the next. */
    passTime: async (ms: number) => {
      const { clock } = open().deps;
      const endMs = clock.nowMs() + ms;
      const passUntil = async (atMs: number) => {
        await setClock(database.pool, atMs);
        clock.advance(atMs - clock.nowMs());
        await answered();
      };
      await answered();
      for (let wakeMs = clock.nextWakeMs(); wakeMs !== undefined && wakeMs < endMs; wakeMs = clock.nextWakeMs()) {
        await passUntil(Math.max(wakeMs, clock.nowMs()));
      }
      await passUntil(endMs);
    },
    ask: (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, payload?: object) =>
      open().api.server.inject({ method, url, headers: authorized, ...(payload && { payload }) }),
  };
}

interface ApiTerms {
  begun?: 'before each test' | 'once';
  quotas?: Partial<Quotas>;
}

function notYet(): never {
  throw new Error('the interface is there from beforeAll on');
}
