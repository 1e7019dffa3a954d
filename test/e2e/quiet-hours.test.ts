import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { readLedger } from '../../services/sandbox/ledger/ledger.ts';
import { setQuietHours } from '../../sdk/generated/sdk.gen.ts';
import type { RunProgress } from '../../sdk/generated/types.gen.ts';
import { violations } from '../support/evidence.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const segment = 'lapsed-riders';

let muster: Installation;
afterEach(() => muster.stop());

async function until(runId: string, isSo: (progress: RunProgress) => boolean): Promise<RunProgress> {
  for (;;) {
    const progress = await muster.api.progress(runId);
    if (isSo(progress)) return progress;
    await wait(50);
  }
}

async function killAndRestart(name: string): Promise<void> {
  await muster.services.get(name)?.end('SIGKILL');
  await muster.restart(name);
}

/** Returns the time of day in UTC, this many hours from now. */
const timeIn = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);

it('a campaign sends no messages in quiet hours, shows their end, still awards rewards, and continues when the rule is deleted', async () => {
  muster = await startInstallation({
    workers: 2,
    sandbox: { SANDBOX_SEGMENTS: `${segment}=6000` },
    engine: { WORKER_LEASE_MS: '6000', KAFKA_SESSION_TIMEOUT_MS: '2000' },
  });
  const { client } = muster.api;
  const night = { actionType: 'send-message', from: timeIn(-2), until: timeIn(2), zone: 'UTC', then: 'wait' } as const;
  await setQuietHours({ client, body: { rules: [night] } });
  // Running workers are notified of the rule within a second; restarted workers read the rule at their start.
  for (const name of ['worker-1', 'worker-2']) await killAndRestart(name);
  const runId = await muster.api.run({ name: 'At night', countries, segment, chain: rewardThenMessage });
  const waiting = await until(
    runId,
    ({ steps, waits }) => steps[0]?.succeeded === 6000 && waits.length === countries.length,
  );
  await killAndRestart('worker-1');
  expect(waiting).toMatchObject({ state: 'running', eta: null, steps: [{}, { succeeded: 0 }] });
  for (const { cause, blockedBy, nextTryAt } of waiting.waits) {
    expect(cause).toMatch(/^quiet hours: send-message calls nobody in/);
    expect([blockedBy, nextTryAt?.slice(11, 16)]).toEqual(['quiet-hours', night.until]);
  }
  expect((await readLedger(muster.ledgerFile)).of(runId, 2).appliedUnderKeys.size).toBe(0);

  await setQuietHours({ client, body: { rules: [] } });
  await muster.api.awaitEnd(runId);
  expect(violations(await muster.evidence(runId, segment))).toEqual([]);
});
