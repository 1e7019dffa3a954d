import { afterEach, describe, expect, it } from 'vitest';
import { changeClientEndpoint, getJob, getScheduler } from '../../sdk/generated/sdk.gen.ts';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { lasting, until } from './support/until.ts';

/** Time after which each dispatcher knows what the others have learned about a host. */
const receivedOfMs = 2000;
const retry = { strategy: 'exponential', attempts: 4, firstDelayMs: 1000 } as const;

describe('a host that answers some jobs with success and others never', () => {
  let trial: CallbackTrial;
  afterEach(() => trial.end());

  async function start(without?: FaultControl): Promise<void> {
    trial = await startCallbackTrial(without && { without });
    await trial.receiver.behave({ bad: { status: 500 } });
  }

  const hosts = async () => (await getScheduler({ client: trial.client })).data.hosts;
  const isCalled = (ids: readonly string[]) => {
    const called = new Set(trial.receiver.calls().map(({ jobId }) => jobId));
    return ids.every((id) => called.has(id));
  };
  const statesOf = async (ids: readonly string[]) => {
    const jobs = await Promise.all(ids.map((id) => getJob({ client: trial.client, path: { id } })));
    return new Set<string>(jobs.map(({ data }) => data.state));
  };

  /**
   * Schedules ten jobs whose calls fail with 500, so that the host is sidelined, then twenty jobs whose calls succeed.
   */
  async function badThenGood() {
    const bad = await trial.schedule({ count: 10, client: 'shop', path: 'bad' });
    await until('the circuit of the host is open', async () => (await hosts()).length > 0);
    await lasting(receivedOfMs);
    const sinceMs = Date.now();
    const good = await trial.schedule({ count: 20, client: 'shop' });
    return { bad, good, sinceMs };
  }

  it('row 57: ten jobs that always get 500 become dead, and the twenty jobs behind them are called within 10 s', async () => {
    await start();
    const { id } = await trial.addClient('shop', { sideline: {}, retry });
    const over = trial.injections.begin('500 for ten jobs of thirty', 'receiver');
    const { bad, good, sinceMs } = await badThenGood();
    await until('the good ones are called', () => isCalled(good), 60_000);
    const tookMs = Date.now() - sinceMs;
    // About thirty attempts of the failing jobs are left, and each needs a probe. A shorter pause between probes makes
    // the test shorter.
    const path = { id, endpoint: 'default' };
    await changeClientEndpoint({ client: trial.client, path, body: { sideline: { probeSeconds: 2 } } });
    await trial.awaitEnded(240_000);
    over();

    expect(tookMs).toBeLessThan(10_000);
    expect([await statesOf(bad), await statesOf(good)]).toEqual([new Set(['dead']), new Set(['called'])]);
    const measured = { 'good ones called after ms': tookMs };
    const scenario = 'ten bad jobs among thirty of one host';
    expect(await trial.judgeCallbacks({ rows: '57', scenario, measured, allow: { dead: 10 } })).toEqual([]);
  });

  it('row 57: a path prefix named by its client is sidelined separately, and calls to other paths of the host continue', async () => {
    await start();
    await trial.addClient('shop', { sideline: { pathPrefixes: ['/bad'], probeSeconds: 1 }, retry });
    const over = trial.injections.begin('500 for one path of two', 'receiver');
    const { bad, good, sinceMs } = await badThenGood();
    expect(await hosts()).toMatchObject([{ host: `127.0.0.1:${trial.receiver.port}/bad` }]);
    await until('the good ones are called', () => isCalled(good), 60_000);
    const tookMs = Date.now() - sinceMs;
    await trial.awaitEnded(120_000);
    over();

    expect(tookMs).toBeLessThan(3000);
    expect(await statesOf(bad)).toEqual(new Set(['dead']));
    const [scenario, measured] = ['one path of a host is dead', { 'good ones called after ms': tookMs }];
    expect(await trial.judgeCallbacks({ rows: '57', scenario, measured, allow: { dead: 10 } })).toEqual([]);
  });

  it('row 57: the other jobs of a host are never called if one failing route opens its circuit (control)', async () => {
    await start(faultControls.routesLearnFirst);
    await trial.database.rows(`
      create function good_ones_last() returns trigger language plpgsql as $$ begin
        new.attempt := old.attempt;
        new.probes := case when new.url like '%/bad/%' then 0 else 1000 end;
        return new;
      end $$;
      create trigger good_ones_last before update on jobs for each row execute function good_ones_last()`);
    await trial.addClient('shop', { sideline: { probeSeconds: 1 }, retry });
    const { good } = await badThenGood();
    await lasting(10_000);
    expect(isCalled(good)).toBe(false);
  });
});
