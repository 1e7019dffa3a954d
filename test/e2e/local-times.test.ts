import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelRun } from '../../sdk/generated/sdk.gen.ts';
import { readLedger } from '../../services/sandbox/ledger/ledger.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

/** Singapore is an hour ahead of Jakarta and of Ho Chi Minh City. */
const singaporeAheadMs = 8 * 3_600_000;

describe('a campaign at a local time', () => {
  let muster: Installation;
  beforeAll(async () => {
    muster = await startInstallation({ workers: 'all-in-one', sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=1500' } });
  });
  afterAll(() => muster.stop());

  it('begins in each country at that local time, and countries that have not begun can be cancelled', async () => {
    // The local time has whole seconds. It is in the future, because a campaign with a past time is refused at its
    // start.
    const atMs = (Math.floor(Date.now() / 1000) + 10) * 1000;
    const runId = await muster.api.run({
      name: 'In the morning',
      countries,
      segment: 'lapsed-riders',
      chain: rewardThenMessage,
      schedule: {
        type: 'local',
        time: new Date(atMs + singaporeAheadMs).toISOString().slice(0, 19),
        zones: { ID: 'Asia/Jakarta' },
      },
    });
    const isServed = async () => {
      const { countries: lines } = await muster.api.report(runId);
      const there = lines.find(({ country }) => country === 'SG');
      return there?.steps.every(({ succeeded }) => succeeded > 0 && succeeded === there.audience) ?? false;
    };
    while (!(await isServed())) await wait(50);
    await cancelRun({ client: muster.api.client, path: { id: runId }, body: {} });
    await muster.api.awaitEnd(runId);

    const calls = [...(await readLedger(muster.ledgerFile)).of(runId, 1).keys.values()];
    expect(new Set(calls.map(({ country }) => country))).toEqual(new Set(['SG']));
    const firstMs = Math.min(...calls.flatMap(({ at }) => at.map((text) => Date.parse(text))));
    expect(firstMs).toBeGreaterThanOrEqual(atMs);
    expect(await muster.api.report(runId)).toMatchObject({ state: 'cancelled', balanced: true });
  });
});
