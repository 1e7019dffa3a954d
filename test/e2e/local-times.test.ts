import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLedger } from '../../services/sandbox/ledger.ts';
import { violations } from '../support/evidence.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

/** Singapore is an hour ahead of Jakarta and of Ho Chi Minh City. */
const jakartaAheadMs = 7 * 3_600_000;

describe('a campaign at a local time', () => {
  let muster: Installation;
  beforeAll(async () => {
    muster = await startInstallation({
      workers: 'all-in-one',
      sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=1500' },
    });
  });
  afterAll(() => muster.stop());

  it('begins in each country when it is so late there, and not before: one run, whose report adds up', async () => {
    // Whole seconds: clocks on walls show no more. In Singapore it was so late an hour ago, which counts as now.
    const atMs = (Math.floor(Date.now() / 1000) + 8) * 1000;
    const time = new Date(atMs + jakartaAheadMs).toISOString().slice(0, 19);
    const runId = await muster.api.run({
      name: 'In the morning',
      countries,
      segment: 'lapsed-riders',
      chain: rewardThenMessage,
      schedule: { type: 'local', time, catchUpSeconds: 7200 },
    });
    await muster.api.awaitEnd(runId);

    const calls = [...(await readLedger(muster.ledgerFile)).of(runId, 1).keys.values()];
    const firstIn = (country: string) =>
      Math.min(
        ...calls.filter((call) => call.country === country).flatMap(({ at }) => at.map((text) => Date.parse(text))),
      );
    expect(firstIn('SG')).toBeLessThan(atMs);
    for (const country of ['ID', 'VN']) {
      expect(firstIn(country)).toBeGreaterThanOrEqual(atMs);
      expect(firstIn(country)).toBeLessThan(atMs + 10_000);
    }
    const report = await muster.api.report(runId);
    expect(report).toMatchObject({ state: 'completed', balanced: true });
    expect(violations(await muster.evidence(runId, 'lapsed-riders'))).toEqual([]);
  });
});
