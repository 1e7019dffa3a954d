import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../cli/program.ts';
import { createTestTerminal } from '../../cli/frame/test-terminal.ts';
import { violations } from '../support/evidence.ts';
import { startInstallation, type Installation } from './installation.ts';

/** Secret of the test vectors that Standard Webhooks publishes. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const newKey = () => randomBytes(32).toString('base64');

describe('endpoints that accept only signed calls', () => {
  const key = newKey();
  const chain = [{ action: 'award-stars', params: { points: 3 } }];
  const campaign = { name: 'Signed', countries: ['SG'], segment: 'riders', chain };
  let muster: Installation;

  beforeAll(async () => {
    muster = await startInstallation({
      workers: 1,
      sandbox: { SANDBOX_SEGMENTS: 'riders=2000', SANDBOX_SIGNING_SECRET: secret },
      engine: { MUSTER_SECRETS_KEY: key },
    });
  });
  afterAll(() => muster.stop());

  async function cli(input: string, ...args: string[]) {
    const terminal = createTestTerminal();
    const onInterrupt = () => new AbortController().signal;
    const context = { terminal, environment: muster.cliEnvironment, input: Readable.from([input]), onInterrupt };
    return { code: await runProgram(['action-types', ...args], context), ...terminal.written };
  }

  const logs = () =>
    [...muster.services].filter(([name]) => name !== 'sandbox').map(([, { logFile }]) => readFileSync(logFile, 'utf8'));

  it('are called with a secret set through the command line, without a restart of workers', async () => {
    const url = `${muster.sandboxUrl}/points/v1/batches`;
    expect(await cli('', 'create', 'award-stars', `url=${url}`, 'class=B')).toMatchObject({ code: 0 });
    // Each worker reads the secret together with the new shard, when the campaign begins.
    expect(await cli(`${secret}\n`, 'set-secret', 'award-stars', 'signing', '--from-stdin')).toMatchObject({ code: 0 });

    const runId = await muster.api.run(campaign);
    await muster.api.awaitEnd(runId);

    expect((await muster.api.report(runId)).steps).toMatchObject([{ succeeded: 800, failed: 0 }]);
    expect(violations(await muster.evidence(runId, 'riders'))).toEqual([]);
  });

  it('are not called by a worker with another key, and that worker logs the reason while others continue', async () => {
    await muster.services.get('worker-1')?.end('SIGTERM');
    await muster.restart('worker-1', { MUSTER_SECRETS_KEY: newKey() });
    const runId = await muster.api.run(campaign);
    const reported = () => readFileSync(muster.services.get('worker-1')?.logFile ?? '', 'utf8');
    while (!reported().includes('was sealed with another key')) await wait(50);
    while ((await muster.api.progress(runId)).state !== 'running') await wait(50);
    expect(await muster.effectsOf(runId, 1)).toBe(0);

    // The new process has a new key, and the former key for values that are already sealed.
    await muster.restart('worker-2', { MUSTER_SECRETS_KEY: `${newKey()},${key}` });
    await muster.api.awaitEnd(runId);

    expect((await muster.api.report(runId)).steps).toMatchObject([{ succeeded: 800, failed: 0 }]);
    expect(violations(await muster.evidence(runId, 'riders'))).toEqual([]);
  });

  it('have their secret in no log', () => {
    for (const log of logs()) {
      expect(log).not.toContain(secret);
      expect(log).not.toContain(key);
    }
  });
});
