import { afterEach, describe, expect, it } from 'vitest';
import { getScheduler } from '../../sdk/generated/sdk.gen.ts';
import { startDnsServer, type DnsServer } from '../support/dns-server.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { lateMsOf } from './support/measure-callbacks.ts';
import { quantile } from './support/measure-run.ts';
import { lasting, until } from './support/until.ts';

/** On a shared machine, a job waits for some more looks and flushes. */
const busyMachineMs = 250;

/** Replaces the resolver of dispatchers. */
const getaddrinfo = `--import ${new URL('support/four-names-at-once.ts', import.meta.url).href}`;

describe('host names that resolve slowly, never or not now', () => {
  let names: DnsServer;
  let trial: CallbackTrial;
  let isSilent: boolean;

  async function begin(engine: Record<string, string> = {}): Promise<void> {
    isSilent = false;
    names = await startDnsServer(({ name, type }) => {
      if (isSilent || name.endsWith('.silent.test')) return null;
      const afterMs = name.endsWith('.slow.test') ? 1500 : 0;
      return { ttlSeconds: 2, afterMs, addresses: type === 'A' ? ['127.0.0.1'] : [] };
    });
    trial = await startCallbackTrial({ engine: { DISPATCHER_DNS_SERVERS: names.address, ...engine } });
  }
  afterEach(async () => {
    await trial.end();
    names.close();
  });

  const p99 = (ids: readonly string[]) => quantile(lateMsOf(trial, ids), 0.99);
  const allCalled = (ids: readonly string[]) =>
    until('all of them are called', () => lateMsOf(trial, ids).length === ids.length, 60_000);
  const hosts = async () => (await getScheduler({ client: trial.client })).data.hosts;
  const well = (index: number) => `shop${index % 20}.well.test`;
  /** Names of hosts without open connections, so that each call needs a look-up. */
  const others = (index: number) => `other${index % 20}.well.test`;

  /** Schedules jobs to host names that no name server answers for. */
  async function askForDeadNames(): Promise<void> {
    await trial.addClient('silent', { sideline: {} });
    const dead = (index: number) => `hook${index}.silent.test`;
    await trial.schedule({ count: 300, client: 'silent', host: dead, spreadMs: 2000, relevancySeconds: 20 });
    await until('dead names are asked for', () => names.questions.some(({ name }) => name.endsWith('.silent.test')));
  }

  it('row 58: unresolvable names of one client delay no call of another client and sideline no host', async () => {
    await begin();
    await trial.addClient('slow', { sideline: {} });
    const alone = await trial.schedule({ count: 400, host: well, dueInMs: 500, spreadMs: 4000 });
    await allCalled(alone);
    const over = trial.injections.begin('names without an answer', '300 names, and 30 after 1.5 s');
    await askForDeadNames();
    const slow = await trial.schedule({ count: 30, client: 'slow', host: (index) => `hook${index}.slow.test` });
    const beside = await trial.schedule({ count: 400, host: others, dueInMs: 500, spreadMs: 4000 });
    await allCalled([...beside, ...slow]);
    over();
    expect(await hosts()).toEqual([]);
    await trial.awaitEnded();

    const measured = { 'p99 alone ms': p99(alone), 'p99 beside ms': p99(beside) };
    const [scenario, allow] = ['names without an answer', { expired: 300 }];
    expect(await trial.judgeCallbacks({ rows: '58', scenario, measured, allow })).toEqual([]);
    expect(p99(beside)).toBeLessThan(p99(alone) * 1.2 + 50 + busyMachineMs);
  });

  it('row 58: without a name server no job is called, and afterwards all jobs are called without losing an attempt', async () => {
    await begin();
    await trial.addClient('shop', { sideline: {}, retry: { strategy: 'none' } });
    isSilent = true;
    const over = trial.injections.begin('name servers are silent', '8 s');
    const jobs = await trial.schedule({ count: 200, client: 'shop', host: well, spreadMs: 4000 });
    await lasting(8000);
    expect(trial.receiver.calls()).toEqual([]);
    isSilent = false;
    over();
    await allCalled(jobs);
    await trial.awaitEnded(60_000);

    expect(await hosts()).toEqual([]);
    expect(await trial.database.count('select 1 from job_attempts')).toBe(0);
    expect(await trial.judgeCallbacks({ rows: '58', scenario: 'name servers are silent' })).toEqual([]);
  });

  it('row 58: look-ups in four threads without a time limit delay every other name (control)', async () => {
    await begin({ NODE_OPTIONS: getaddrinfo });
    const alone = await trial.schedule({ count: 40, host: well, dueInMs: 500 });
    await allCalled(alone);
    await askForDeadNames();
    const beside = await trial.schedule({ count: 40, host: others, dueInMs: 3000 });
    await lasting(13_000);
    const lateMs = lateMsOf(trial, beside);
    expect(lateMs.length).toBeLessThan(beside.length);
    expect(Math.min(...lateMs)).toBeGreaterThan(p99(alone) + busyMachineMs);
  });
});
