import { afterEach, describe, expect, it } from 'vitest';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { blockEventLoop, withInspector } from './support/block-event-loop.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { until } from './support/until.ts';

const segment = 'lapsed-riders';
const concurrency = 8;

/** The freeze lasts longer than the lease (5 s) and the session (2 s), while another worker continues. */
describe('a worker that is frozen past its lease and its session', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function begin(ofFrozen: Record<string, string> = {}): Promise<string> {
    trial = await startTrial({
      workers: 2,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=20000`,
        SANDBOX_REWARDS_MEMORY: 'none',
        SANDBOX_MESSAGES_MEMORY: 'none',
        SANDBOX_REWARDS_LATENCY_MS: '300-600',
        SANDBOX_MESSAGES_LATENCY_MS: '300-600',
      },
      engine: { WORKER_CONCURRENCY: String(concurrency) },
      engineOf: { 'worker-1': { WORKER_ID: 'frozen', ...ofFrozen }, 'worker-2': { WORKER_ID: 'awake' } },
    });
    const runId = await trial.muster.api.run({
      name: 'Frozen',
      countries: trial.muster.countries,
      segment,
      chain: rewardThenMessage,
    });
    await trial.awaitCalls(runId, 1, 20);
    return runId;
  }

  /** Resolves when the other worker has taken over what the frozen one held. */
  async function awaitTakeOver(): Promise<void> {
    await until('nothing is held by the frozen one', async () => {
      return (await trial.database.count(`select 1 from batch_steps where state = 1 and owner = 'frozen'`)) === 0;
    });
  }

  it('row 5: starts no more calls and has late records fenced if frozen with uncalled claims (W3) or calls (W4)', async () => {
    const runId = await begin();
    await until('it holds claims', async () => {
      return (
        (await trial.database.count(`select 1 from batch_steps where state = 1 and owner = 'frozen'`)) > concurrency
      );
    });
    trial.freeze('worker-1');
    await awaitTakeOver();
    trial.thaw('worker-1');

    await trial.awaitEnd(runId);
    // Calls in flight are in doubt. The worker that lost its claims does not call the steps that it had only claimed.
    const allow = { appliedAgain: 2 * concurrency };
    expect(await trial.judge(runId, { rows: '5', scenario: 'frozen in W3 and W4', segment, allow })).toEqual([]);
  });

  it('row 5: has its late records refused or recorded in time if frozen during a record (W5)', async () => {
    const runId = await begin();
    const lock = await trial.database.hold('lock table batch_steps in exclusive mode');
    const released = trial.injections.begin('lock', 'batch_steps');
    await lock.awaitWaiting('batch_steps', 2);
    trial.freeze('worker-1');
    await lock.release();
    released();
    await awaitTakeOver();
    trial.thaw('worker-1');

    await trial.awaitEnd(runId);
    const allow = { appliedAgain: 4 * concurrency };
    expect(await trial.judge(runId, { rows: '5', scenario: 'frozen in W5', segment, allow })).toEqual([]);
  });

  it('row 6: has its late records refused and starts no lost step if its event loop blocks for 20 s', async () => {
    const [port = 0] = await findFreePorts(1);
    const runId = await begin(withInspector(port));
    const over = trial.injections.begin('event loop blocked', 'worker-1');
    await blockEventLoop(port, 20_000);
    over();

    await trial.awaitEnd(runId);
    const allow = { appliedAgain: 2 * concurrency };
    expect(await trial.judge(runId, { rows: '6', scenario: 'event loop blocked 20 s', segment, allow })).toEqual([]);
  });
});
