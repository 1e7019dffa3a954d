import { afterEach, describe, expect, it } from 'vitest';
import type { RunProgress } from '../../sdk/generated/types.gen.ts';
import { violations } from '../support/evidence.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

/** `npm test` runs only the first case, with fewer users, because each case takes more than a minute. */
const isFirstAlone = process.env['MUSTER_TESTS'] === 'first';
const users = isFirstAlone ? 20_000 : 50_000;
const killEveryMs = 3000;
const concurrency = 8;
const pointsThenMessage = [{ action: 'award-points', params: { points: 10 } }, ...rewardThenMessage.slice(1)];

/** Slow enough that several workers die in the middle of it. */
const latency = {
  SANDBOX_REWARDS_LATENCY_MS: '300-600',
  SANDBOX_POINTS_LATENCY_MS: '300-600',
  SANDBOX_MESSAGES_LATENCY_MS: '300-600',
};

const cases = [
  { endpoints: 'that remember users (A) and keys (B)', chain: rewardThenMessage, sandbox: {}, isNaive: false },
  { endpoints: 'that remember keys (B), in both steps', chain: pointsThenMessage, sandbox: {}, isNaive: false },
  {
    endpoints: 'without memory, in both steps',
    chain: rewardThenMessage,
    sandbox: { SANDBOX_REWARDS_MEMORY: 'none', SANDBOX_MESSAGES_MEMORY: 'none' },
    isNaive: true,
  },
];

describe('a campaign whose processes are killed', () => {
  let muster: Installation;
  afterEach(() => muster.stop());

  it.each(isFirstAlone ? cases.slice(0, 1) : cases)(
    'serves every user exactly once, with a worker killed every 3 s and the trigger once; endpoints $endpoints (P1, P2, P3)',
    async ({ chain, sandbox, isNaive }) => {
      muster = await startInstallation({
        workers: 3,
        sandbox: {
          SANDBOX_SEGMENTS: `lapsed-riders=${users}`,
          SANDBOX_REWARDS_FAILURE_SHARE: '0.02',
          SANDBOX_MESSAGES_FAILURE_SHARE: '0.01',
          ...latency,
          ...sandbox,
        },
        engine: {
          WORKER_CONCURRENCY: String(concurrency),
          WORKER_LEASE_MS: '6000',
          KAFKA_SESSION_TIMEOUT_MS: '2000',
          TRIGGER_FEED_LEASE_MS: '3000',
          TRIGGER_STALL_MS: '2000',
        },
      });
      const runId = await muster.api.run({ name: 'Under fire', countries, segment: 'lapsed-riders', chain });

      const assassin = createAssassin(muster);
      try {
        await muster.api.awaitEnd(runId, assassin.look);
      } finally {
        await assassin.rest();
      }
      const { killed } = assassin;

      // A sink without memory applies calls again that a killed worker had sent but not recorded. Any further repeat
      // would be a fault of Muster.
      const appliedAgain = isNaive ? killed.workers * 2 * concurrency : 0;
      expect(violations(await muster.evidence(runId, 'lapsed-riders'), { appliedAgain })).toEqual([]);
      expect(killed.workers).toBeGreaterThanOrEqual(3);
      expect(killed.trigger).toBe(true);
    },
  );
});

/**
 * Kills the workers in turn by SIGKILL every few seconds, and the trigger once, and restarts each like a supervisor.
 * The next worker is killed once the run has progressed, because on a slow machine a worker takes longer to start.
 */
function createAssassin(muster: Installation) {
  const killed = { workers: 0, trigger: false };
  const last = { atMs: performance.now(), done: 0 };
  const underWay: Promise<void>[] = [];
  const kill = async (name: string) => {
    await muster.services.get(name)?.end('SIGKILL');
    await muster.restart(name);
  };
  return {
    killed,
    look: ({ state, steps }: RunProgress) => {
      if (state !== 'running') return;
      const done = steps.reduce((sum, { succeeded }) => sum + succeeded, 0);
      if (!killed.trigger) {
        killed.trigger = true;
        underWay.push(kill('trigger'));
      }
      if (done === last.done || performance.now() - last.atMs < killEveryMs) return;
      Object.assign(last, { atMs: performance.now(), done });
      killed.workers++;
      underWay.push(kill(`worker-${(killed.workers % 3) + 1}`));
    },
    /** Resolves when the process that was killed last has started again. */
    rest: async () => void (await Promise.all(underWay)),
  };
}
