import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from '../support/evidence.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

describe('two installations with one topic prefix on one Kafka', () => {
  let first: Installation;
  let second: Installation;

  beforeAll(async () => {
    const topicPrefix = `e2e-${randomBytes(4).toString('hex')}`;
    const start = (size: number) =>
      startInstallation({ workers: 'all-in-one', topicPrefix, sandbox: { SANDBOX_SEGMENTS: `lapsed-riders=${size}` } });
    [first, second] = [await start(3000), await start(1000)];
  });
  afterAll(async () => {
    await first.stop();
    await second.stop();
  });

  it('serve their own runs completely, and no call reaches the other installation', async () => {
    const campaign = { name: 'Mine', countries, segment: 'lapsed-riders', chain: rewardThenMessage };
    const runOf = async (muster: Installation) => {
      const runId = await muster.api.run(campaign);
      await muster.api.awaitEnd(runId);
      return runId;
    };
    const [firstRun, secondRun] = await Promise.all([runOf(first), runOf(second)]);

    expect(violations(await first.evidence(firstRun, 'lapsed-riders'))).toEqual([]);
    expect(violations(await second.evidence(secondRun, 'lapsed-riders'))).toEqual([]);
    expect(await first.effectsOf(secondRun, 1)).toBe(0);
    expect(await second.effectsOf(firstRun, 1)).toBe(0);
  });
});
