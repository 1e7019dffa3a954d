import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callBatch } from '../support/batch-calls.ts';
import { createConnectorsProcess, type ConnectorsProcess } from '../support/connectors-process.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { startConnectors } from '../support/running-connectors.ts';
import { startStandInApi, type ApiAnswer, type StandInApi } from '../support/stand-in-api.ts';

let store: TestDatabase;
let client: pg.Client;
let api: StandInApi;
/** Called with each request that arrives at the API. */
let onRequest: () => Promise<ApiAnswer> | ApiAnswer;

beforeAll(async () => {
  store = await createEmptyTestDatabase();
  client = new pg.Client({ connectionString: store.url });
  await client.connect();
});

beforeEach(async () => {
  onRequest = () => ({ status: 200 });
  api = await startStandInApi(() => onRequest());
});

afterEach(() => api.close());

afterAll(async () => {
  await client.end();
  await store.drop();
});

const users = ['u1', 'u2', 'u3'];

/** One request at a time, so that each cut is at one place of one user. */
function actionsOf() {
  const call = {
    url: `${api.url}/users/{{user}}`,
    idempotencyHeader: 'idempotency-key',
    concurrency: 1,
    timeoutSeconds: 2,
  };
  return {
    once: { call, workSeconds: 1 },
    repeated: { call: { ...call, recognizesRepeats: true }, workSeconds: 1 },
  };
}

/** Lets the time of all claims pass. */
const passLeases = () => setLeases('-1 second');
/** Keeps all claims, however long a process takes to start. */
const keepLeases = () => setLeases('1 hour');

async function setLeases(inTime: string): Promise<void> {
  await client.query(`update connectors.results set lease_until = clock_timestamp() + $1::interval`, [inTime]);
}

/** Repeats the batch. A claim that reaches the database after its connection was cut needs another repeat. */
async function repeated(url: string, action: string, run: string) {
  for (let attempt = 2; ; attempt++) {
    await passLeases();
    const answer = await callBatch(url, { users, run, key: run, attempt });
    const isKnown = Object.keys(answer.outcomes).length === users.length;
    if (isKnown || attempt === (action === 'repeated' ? 5 : 3)) return answer;
  }
}

function requestsOf(user: string): string[] {
  return api.requests.flatMap(({ path, headers }) =>
    path === `/users/${user}` ? [String(headers['idempotency-key'])] : [],
  );
}

describe('single calls whose store is cut off at any statement', () => {
  it.each(['once', 'repeated'])(
    'return the result of each user of the action "%s" or leave the user out, and serve no user twice',
    async (action) => {
      const address = new URL(store.url);
      const proxy = await startCuttingProxy({ host: address.hostname, port: Number(address.port) });
      address.port = String(proxy.port);
      const running = await startConnectors({
        storeUrl: address.href,
        shopUrl: store.url,
        segments: {},
        actions: actionsOf(),
      });
      const url = `${running.url}/v1/actions/${action}/batches`;
      const leftOut = new Set<number>();
      try {
        for (const isSent of [true, false]) {
          for (let packet = 1, isCut = true; isCut; packet++) {
            const run = `${action}-${packet}-${isSent}`;
            api.requests.length = 0;
            proxy.cutAt(packet, isSent);
            await callBatch(url, { users, run, key: run });
            isCut = proxy.hasCut();
            proxy.cutAt(Infinity, false);
            const { status, outcomes } = await repeated(url, action, run);
            expect(status).toBe(200);
            const third = await callBatch(url, { users, run, key: `${run}-other`, attempt: 1 });
            expect(third.outcomes).toEqual(outcomes);
            for (const user of users) {
              const keys = requestsOf(user);
              expect(new Set(keys).size).toBeLessThanOrEqual(1);
              if (outcomes[user] === 'ok') expect(keys.length).toBeGreaterThan(0);
              else expect(outcomes[user]).toBeUndefined();
              if (action === 'once') expect(keys.length).toBeLessThanOrEqual(1);
            }
            leftOut.add(users.length - Object.keys(outcomes).length);
          }
        }
      } finally {
        proxy.close();
        await running.stop();
      }
      // Only the user whose claim or result was in progress may be left out.
      expect(leftOut).toEqual(action === 'once' ? new Set([0, 1]) : new Set([0]));
    },
  );
});

describe('connectors that are killed while the API serves a user', () => {
  let connectors: ConnectorsProcess;

  beforeEach(async () => {
    connectors = await createConnectorsProcess({
      storeUrl: store.url,
      file: { databases: {}, segments: {}, actions: actionsOf() },
    });
    await connectors.start();
  });

  afterEach(() => connectors.close());

  it.each([
    ['once', undefined, 1],
    ['repeated', 'ok', 2],
  ])(
    'answer the repeat of the action "%s" with %s for that user, after %i request',
    async (action, outcome, requests) => {
      const url = `${connectors.url}/v1/actions/${action}/batches`;
      const run = `killed-${action}`;
      let isFirst = true;
      onRequest = async () => {
        if (isFirst) {
          connectors.signal('SIGKILL');
          await connectors.exited();
        }
        isFirst = false;
        return { status: 200 };
      };
      await expect(callBatch(url, { users, run })).rejects.toThrow();
      await keepLeases();
      await connectors.start();
      // The user of the lost request is still claimed; the others are served.
      const early = await callBatch(url, { users, run, attempt: 2 });
      expect(early.outcomes).toEqual({ u2: 'ok', u3: 'ok' });
      await passLeases();
      const late = await callBatch(url, { users, run, attempt: 3 });
      expect(late.outcomes).toEqual({ ...(outcome !== undefined && { u1: outcome }), u2: 'ok', u3: 'ok' });
      expect(requestsOf('u1')).toHaveLength(requests);
      expect(new Set(requestsOf('u1')).size).toBe(1);
      expect([...requestsOf('u2'), ...requestsOf('u3')]).toHaveLength(2);
    },
  );
});
