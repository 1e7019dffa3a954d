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
 * The HTTP interface for the test file that calls this at its top, on a database of its own. Before each test the
 * database is an installation with two action types, three countries and one key, and has nothing else; the clock,
 * which is the database's too, stands at the first of January 2026.
 * @param terms.begun `once` where tests change nothing
 * @param terms.quotas other than the usual ones
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

  /** Until the database was asked nothing for some turns. */
  async function answered(): Promise<void> {
    const { pool } = open().deps;
    for (let quietTurns = 0; quietTurns < 3;) {
      await settled();
      quietTurns = pool.idleCount === pool.totalCount && pool.waitingCount === 0 ? quietTurns + 1 : 0;
    }
  }

  /** Forgets all snapshots: the emptied database uses no revision again that was read before. */
  async function forgetSnapshots(): Promise<void> {
    tests += 1;
    const moved = 'update installation set registry_revision = registry_revision + $1, clients_revision = $1';
    await database.pool.query(moved, [tests * 1000]);
  }

  return {
    get deps() {
      return open().deps;
    },
    /** One for all tests of the file. */
    get api() {
      return open().api;
    },
    /** Listens; where it does. */
    start: () => (listening ??= open().api.start()),
    /** Key that `authorized` carries. */
    get key() {
      return open().key;
    },
    /** On the settable clock. */
    get pool() {
      return open().deps.pool;
    },
    /** All of a table. */
    rowsOf: async (table: string) => (await database.pool.query<Record<string, unknown>>(`table ${table}`)).rows,
    /** Moves the clock on, from one sleeper to the next. */
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
