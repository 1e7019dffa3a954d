import { afterEach, describe, expect, it } from 'vitest';
import { orderViolations, type KeyOrder } from '../support/order-evidence.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { until } from './support/until.ts';

let trial: CallbackTrial;
afterEach(() => trial.end());

/** Schedules jobs for each key in turn. Returns their ids by key, in order. */
async function scheduleKeys(
  keys: number,
  wanted: { perKey: number; ordering: 'exclusive' | 'in-order'; client?: string },
): Promise<KeyOrder[]> {
  const { perKey, ordering, ...rest } = wanted;
  const orderingKeyOf = (index: number) => `merchant-${index % keys}`;
  const ids = await trial.schedule({ count: keys * perKey, path: 'slow', ordering, orderingKeyOf, ...rest });
  return Array.from({ length: keys }, (_, key) => ids.filter((_id, index) => index % keys === key));
}

const ended = () => trial.database.count('select 1 from ended_jobs');
const takenOver = () => trial.database.count(`select 1 from witnessed_fires where kind = 'taken-over'`);

describe('row 35: jobs with the same ordering key while dispatchers and schedulers are killed', () => {
  it.each(['in-order', 'exclusive'] as const)('are never called concurrently: %s, with retries', async (ordering) => {
    trial = await startCallbackTrial();
    const worksForMs = 300;
    // The first call of each job fails.
    await trial.receiver.behave({ slow: { latencyMs: worksForMs, status: 503, times: 1 } });
    const keys = await scheduleKeys(12, { perKey: 12, ordering });
    let open = 0;
    for (const [round, name] of ['dispatcher-1', 'scheduler-1', 'dispatcher-2', 'scheduler-2'].entries()) {
      await until('more have ended', async () => (await ended()) >= 20 * (round + 1));
      if (name.startsWith('dispatcher')) open += await trial.database.count('select 1 from job_claims');
      await trial.kill(name);
      await trial.restart(name);
    }
    await trial.awaitEnded(150_000);

    expect(await takenOver()).toBeGreaterThan(0);
    const calls = await trial.receiver.allCalls();
    expect(orderViolations(keys, calls, { worksForMs, isInOrder: ordering === 'in-order' })).toEqual([]);
    const verdict = { rows: '35', scenario: `keys, ${ordering}, dispatchers and schedulers killed` };
    expect(await trial.judgeCallbacks({ ...verdict, allow: { doubled: open } })).toEqual([]);
  });
});

describe('row 35: the ordering keys of a dispatcher that is killed in calls longer than its liveness time-out', () => {
  const worksForMs = 15_000;

  async function killInCalls(): Promise<string[]> {
    await trial.addClient('merchants', { timeoutMs: 20_000 });
    await trial.receiver.behave({ slow: { latencyMs: worksForMs } });
    const keys = await scheduleKeys(20, { perKey: 2, ordering: 'in-order', client: 'merchants' });
    await trial.awaitCalls(20);
    await trial.kill('dispatcher-1', 'dispatcher-2');
    await trial.restart('dispatcher-1', 'dispatcher-2');
    await until('the next calls have come', () => trial.receiver.calls().length >= 40);
    return orderViolations(keys, await trial.receiver.allCalls(), { worksForMs, isInOrder: true });
  }

  it('wait until these calls are certainly over', async () => {
    trial = await startCallbackTrial();
    expect(await killInCalls()).toEqual([]);
  });

  it('wait for the time-out of these calls, not for a lease of 90 s', async () => {
    trial = await startCallbackTrial({ engine: { DISPATCHER_LEASE_MS: '90000' } });
    const quickMs = 3000;
    await trial.addClient('merchants', { timeoutMs: 4000 });
    await trial.receiver.behave({ slow: { latencyMs: quickMs } });
    const keys = await scheduleKeys(20, { perKey: 2, ordering: 'in-order', client: 'merchants' });
    await trial.awaitCalls(20);
    await trial.kill('dispatcher-1', 'dispatcher-2');
    const killedAtMs = Date.now();
    await trial.restart('dispatcher-1', 'dispatcher-2');
    // A dispatcher counts as dead 10 s after its last heartbeat, its call is over 15 s after the claim, and the sweep
    // runs every 2 s.
    await until('the next calls have come', () => trial.receiver.calls().length >= 40, 45_000);
    expect(Date.now() - killedAtMs).toBeLessThan(45_000);
    await trial.awaitEnded();
    const calls = await trial.receiver.allCalls();
    expect(orderViolations(keys, calls, { worksForMs: quickMs, isInOrder: true })).toEqual([]);
  });

  it('are called concurrently if they can be claimed soon after the last heartbeat, like other jobs (control)', async () => {
    trial = await startCallbackTrial();
    await trial.database.rows(`
      create function like_others() returns trigger language plpgsql
        as $$ begin new.exclusive_until := null; return new; end $$;
      create trigger like_others before insert on job_claims for each row execute function like_others()`);
    expect(await killInCalls()).toContainEqual(expect.stringMatching(/^O1: /));
  });
});

describe('the checker of order detects', () => {
  it('a key whose last job is called at the same time as its first (control)', async () => {
    trial = await startCallbackTrial();
    await trial.receiver.behave({ slow: { latencyMs: 1000 } });
    await trial.database.rows(`
      alter function advance_key rename to advance_key_well;
      create function advance_key(of_client uuid, of_key text, out made timestamptz, out has_expired boolean)
      language plpgsql volatile as $$
      begin
        select w.made, w.has_expired into made, has_expired from advance_key_well(of_client, of_key) w;
        update jobs set due_at = clock_timestamp() where id = (
          select id from jobs where client = of_client and ordering_key = of_key and due_at = 'infinity'
          order by ready_at desc, accepted_at desc, accept_order desc limit 1);
      end $$`);
    // A statement that the schema does not allow fails here, and not as jobs that never end.
    await trial.database.rows(`select advance_key(gen_random_uuid(), 'no such key')`);
    const keys = await scheduleKeys(5, { perKey: 4, ordering: 'in-order' });
    await trial.awaitEnded();
    const found = orderViolations(keys, await trial.receiver.allCalls(), { worksForMs: 1000, isInOrder: true });
    expect(found).toContainEqual(expect.stringMatching(/^O1: /));
    expect(found).toContainEqual(expect.stringMatching(/^O2: /));
  });
});
