import { afterEach, describe, expect, it } from 'vitest';
import { changeJobs } from '../../sdk/generated/sdk.gen.ts';
import { faultControls } from '../mutations/fault-controls.ts';
import { startCallbackTrial, type CallbackTrial, type CallbackTrialOptions } from './support/callback-trial.ts';
import { lateMsOf } from './support/measure-callbacks.ts';
import { quantile } from './support/measure-run.ts';
import { lasting, until } from './support/until.ts';

/** On a machine with four busy installations, a job waits for some more looks and flushes. */
const busyMachineMs = 250;

const withoutSweep = `--import ${new URL('support/without-sweep.ts', import.meta.url).href}`;

describe('callbacks beside a client with too many jobs', () => {
  let trial: CallbackTrial;
  async function begin(options: CallbackTrialOptions = {}): Promise<void> {
    trial = await startCallbackTrial(options);
    await trial.addClient('crowd', { concurrency: 5 });
    await trial.receiver.behave({ crowd: { latencyMs: 5000 } });
  }
  afterEach(() => trial.end());

  const p99 = (ids: readonly string[]) => quantile(lateMsOf(trial, ids), 0.99);
  const allCalled = (ids: readonly string[]) =>
    until('all of them are called', () => lateMsOf(trial, ids).length === ids.length, 60_000);
  const cancelCrowd = () => changeJobs({ client: trial.client, body: { verb: 'cancel', client: 'crowd' } });

  /**
   * Schedules jobs whose transaction commits five seconds after their due time, beside a backlog. Resolves after the
   * commit.
   */
  async function scheduleLate(): Promise<string[]> {
    await trial.addClient('late');
    const over = trial.injections.begin('commit held', '5 s');
    await trial.schedule({ count: 5000, client: 'crowd', path: 'crowd' });
    // These jobs move the marks of the schedulers past the jobs that are not committed yet.
    await trial.schedule({ count: 1600, dueInMs: 500, spreadMs: 9000 });
    // Acceptance writes to this table last, and looks do not read it. So the jobs are inserted, and their commit waits.
    const lock = await trial.database.hold('lock table client_totals in exclusive mode');
    const scheduling = trial.schedule({ client: 'late', count: 5 });
    await lock.awaitWaiting('insert into jobs (');
    await lasting(5000);
    await lock.release();
    const late = await scheduling;
    over();
    return late;
  }

  /**
   * Schedules quick jobs when thousands of jobs are due at the slow receiver. These have one message each, more than
   * all lanes may hold unsettled.
   */
  async function scheduleNextToSlow(): Promise<string[]> {
    await trial.schedule({ count: 4000, client: 'crowd', path: 'crowd', dueInMs: 500, spreadMs: 12_000 });
    await lasting(13_000);
    return await trial.schedule({ count: 400, dueInMs: 500, spreadMs: 4000 });
  }

  it('row 56: jobs at a receiver that takes 5 s do not delay the jobs of another client', async () => {
    await begin();
    const alone = await trial.schedule({ count: 400, dueInMs: 500, spreadMs: 4000 });
    await allCalled(alone);
    const over = trial.injections.begin('receiver slow, jobs due one by one', '5 s');
    const beside = await scheduleNextToSlow();
    await allCalled(beside);
    over();
    await cancelCrowd();
    await trial.awaitEnded(60_000);

    const measured = { 'p99 alone ms': p99(alone), 'p99 beside ms': p99(beside) };
    const scenario = 'slow receiver, jobs due one by one';
    expect(await trial.judgeCallbacks({ rows: '56', scenario, measured })).toEqual([]);
    expect(p99(beside)).toBeLessThan(p99(alone) * 1.2 + 50 + busyMachineMs);
  });

  it('row 56: jobs of two clients delay each other without credit and without early settling of offers (control)', async () => {
    await begin({ without: faultControls.creditAndSettling });
    const alone = await trial.schedule({ count: 400, dueInMs: 500, spreadMs: 4000 });
    await allCalled(alone);
    const beside = await scheduleNextToSlow();
    await lasting(12_000);
    expect(lateMsOf(trial, beside).length).toBeLessThan(beside.length / 2);
  });

  it('row 61: jobs committed 5 s late beside a backlog of another client are called within ten seconds', async () => {
    await begin();
    const late = await scheduleLate();
    const committedMs = Date.now();
    await allCalled(late);
    const wanted = new Set(late);
    const calls = trial.receiver.calls().filter(({ jobId }) => wanted.has(jobId));
    const foundMs = Math.max(...calls.map(({ atMs }) => atMs)) - committedMs;
    await cancelCrowd();
    await trial.awaitEnded(60_000);

    const measured = { 'called after their commit ms': foundMs };
    expect(await trial.judgeCallbacks({ rows: '61', scenario: 'late commit beside a backlog', measured })).toEqual([]);
    expect(foundMs).toBeGreaterThan(0);
    expect(foundMs).toBeLessThan(10_000);
  });

  it('row 61: without a sweep, jobs committed late are never called (control)', async () => {
    await begin({ engine: { NODE_OPTIONS: withoutSweep } });
    const late = await scheduleLate();
    await lasting(15_000);
    expect(lateMsOf(trial, late)).toEqual([]);
  });
});

describe('one hanging endpoint among several endpoints of a client', () => {
  let trial: CallbackTrial;
  afterEach(() => trial.end());
  const p99 = (ids: readonly string[]) => quantile(lateMsOf(trial, ids), 0.99);
  const calledOf = (ids: readonly string[]) => lateMsOf(trial, ids).length;
  const wanted = { count: 300, dueInMs: 500, spreadMs: 4000 };
  const ofQuick = { ...wanted, client: 'shop', endpoint: 'quick', path: 'quick' };

  /** Fills all slots of the endpoint `hangs` for seconds. Returns the lateness of the jobs before. */
  async function begin(options: CallbackTrialOptions = {}): Promise<number> {
    trial = await startCallbackTrial(options);
    await trial.addClient('shop', { concurrency: 5 });
    await trial.addEndpoint('shop', 'quick');
    await trial.addEndpoint('shop', 'hangs');
    await trial.receiver.behave({ hangs: { does: 'hang' } });
    const alone = await trial.schedule(ofQuick);
    await until('all are called', () => calledOf(alone) === alone.length, 60_000);
    await trial.schedule({ count: 1000, client: 'shop', endpoint: 'hangs', path: 'hangs' });
    await lasting(3000);
    return p99(alone);
  }

  it('row 22: does not delay the other endpoints or other clients', async () => {
    const alone = await begin();
    const over = trial.injections.begin('one endpoint of a client hangs', 'receiver');
    const [quick, others] = [await trial.schedule(ofQuick), await trial.schedule(wanted)];
    await until('all of them are called', () => calledOf([...quick, ...others]) === 600, 60_000);
    over();
    // Jobs whose call is under way cannot be cancelled, and would hang ten times.
    await trial.receiver.behave({});
    await changeJobs({ client: trial.client, body: { verb: 'cancel', client: 'shop' } });
    await trial.awaitEnded(120_000);

    const measured = { 'p99 alone ms': alone, 'p99 beside ms': p99(quick), 'p99 of another client ms': p99(others) };
    expect(await trial.judgeCallbacks({ rows: '22', scenario: 'one endpoint of a client hangs', measured })).toEqual(
      [],
    );
    expect(p99(quick)).toBeLessThan(alone * 1.2 + 50 + busyMachineMs);
    expect(p99(others)).toBeLessThan(alone * 1.2 + 50 + busyMachineMs);
  });

  it('row 22: delays the other endpoints if all jobs of a client share one queue (control)', async () => {
    await begin({ without: faultControls.endpointsHaveOwnQueues });
    const quick = await trial.schedule(ofQuick);
    await lasting(12_000);
    expect(calledOf(quick)).toBeLessThan(quick.length / 2);
  });
});
