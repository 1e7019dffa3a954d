import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { startCallbackTrial, type CallbackTrial, type CallbackTrialOptions } from './support/callback-trial.ts';
import { latenessOf } from './support/measure-callbacks.ts';
import { startOwnPostgres, type OwnPostgres } from './support/own-postgres.ts';
import { startProxyBefore, type ProxyBefore } from './support/proxy-before.ts';
import type { Inspector, Passage } from './support/tcp-proxy.ts';

const calledWithinMs = 10_000;
const narrowClients = Array.from({ length: 100 }, (_, nth) => `narrow-${nth}`);
let postgres: OwnPostgres;
let proxy: ProxyBefore | undefined;
let trial: CallbackTrial;

beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterEach(async () => {
  await trial.end();
  await proxy?.close();
  proxy = undefined;
});
afterAll(() => postgres.end());

/** 100 clients of concurrency 1, and one whose jobs have 100 ordering keys. */
async function begin(options: CallbackTrialOptions = {}): Promise<void> {
  const servers = { databaseUrl: postgres.databaseUrl, kafkaBrokers: inject('kafkaBrokers') };
  trial = await startCallbackTrial({ servers, ...options });
  await trial.receiver.behave({ slow: { latencyMs: 100 } });
  await Promise.all(narrowClients.map((name) => trial.addClient(name, { concurrency: 1 })));
}

/** Schedules a steady stream of jobs, one for each client in this many milliseconds. */
async function stream(forMs: number, everyMs: number): Promise<string[]> {
  const wanted = { path: 'slow', dueInMs: 3000, spreadMs: forMs };
  const count = Math.floor(forMs / everyMs);
  const orderingKeyOf = (index: number) => `merchant-${index % 100}`;
  const keyed = trial.schedule({ ...wanted, count: 5 * count, orderingKeyOf, ordering: 'in-order' });
  const ids = await Promise.all([
    keyed,
    ...narrowClients.map((client) => trial.schedule({ ...wanted, client, count })),
  ]);
  return ids.flat();
}

async function verdictOn(scenario: string): Promise<void> {
  await trial.awaitEnded(60_000);
  const measured = {
    'latest call ms': Math.max(...latenessOf(trial.accepted, trial.receiver.calls()).map(({ lateMs }) => lateMs)),
  };
  expect(await trial.judgeCallbacks({ rows: '67', scenario, measured })).toEqual([]);
  expect(measured['latest call ms']).toBeLessThan(calledWithinMs);
}

describe('row 67: callbacks of 100 clients of concurrency 1 and of 100 ordering keys', () => {
  it('are called within 10 s while each flush takes 100 to 500 ms', async () => {
    const slow = slowFlushes();
    await begin({
      throughProxy: async (databaseUrl) => {
        proxy = await startProxyBefore(databaseUrl, slow.inspector);
        return proxy.databaseUrl;
      },
    });
    const over = trial.injections.begin('flushes slow', '100 to 500 ms');
    slow.begin();
    await stream(24_000, 3000);
    await verdictOn('flushes of 100 to 500 ms');
    over();
  });
});

/** Delays the answers to flushes. Recognizes a flush by the name of its prepared statement. */
function slowFlushes(): { inspector: Inspector; begin: () => void } {
  const flushing = new Set<Passage>();
  let isSlow = false;
  let nth = 0;
  const inspector: Inspector = {
    toServer: (passage, bytes) => {
      if (isSlow && bytes.includes('flush-calls')) flushing.add(passage);
    },
    toClient: (passage) => (flushing.delete(passage) ? { lateMs: 100 + ((nth++ * 137) % 400) } : 'pass'),
  };
  return { inspector, begin: () => void (isSlow = true) };
}
