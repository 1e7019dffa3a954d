import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLedger, type StepEffects } from '../../services/sandbox/ledger/ledger.ts';
import { uploadedAudience } from '../../shared/contracts/campaigns/uploaded-audiences.ts';
import { pageSegment } from './gather-evidence.ts';
import { countries, startInstallation, type Installation } from './installation.ts';

const holdOut = { holdOutPercent: 10, holdOutSeed: 'spring' };
const points = [{ action: 'award-points', params: { points: 5 } }];

/**
 * Computes the published rule (`shared/domain/run/hold-out.ts`) byte by byte: the first six bytes of the hash, as a
 * share of the largest value that six bytes can have.
 */
function isHeldOut(user: string): boolean {
  const share = hash('sha256', Buffer.concat([Buffer.from(`${holdOut.holdOutSeed}\0`), Buffer.from(user)]), 'buffer');
  return share.readUIntBE(0, 6) / 2 ** 48 < holdOut.holdOutPercent / 100;
}

describe('a campaign with an audience of several sources', () => {
  let muster: Installation;

  beforeAll(async () => {
    muster = await startInstallation({
      workers: 2,
      sandbox: {
        // Each of the first three segments begins with the users of the next smaller one. `odd-riders` has other users.
        SANDBOX_SEGMENTS: 'everybody=6000,riders=2400,staff=300,odd-riders=600:odd',
        SANDBOX_REWARDS_FAILURE_SHARE: '0.1',
      },
    });
  });
  afterAll(() => muster.stop());

  /** Returns the users of a segment as the segmentation service has them. */
  async function members(segment: string): Promise<Map<string, string[]>> {
    const url = `${muster.sandboxUrl}/segmentation`;
    const pages = countries.map(async (country): Promise<[string, string[]]> => {
      return [country, await pageSegment(url, segment, country)];
    });
    return new Map(await Promise.all(pages));
  }

  async function effectsOf(runId: string): Promise<StepEffects> {
    return (await readLedger(muster.ledgerFile)).of(runId, 1);
  }

  async function upload(rows: readonly string[]): Promise<string> {
    const answer = await muster.api.request('/v1/audiences/upload?name=Friends', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: ['userId,country', ...rows].join('\n'),
    });
    const answered: unknown = await answer.json();
    expect(answer.status, JSON.stringify(answered)).toBe(201);
    return uploadedAudience.parse(answered).id;
  }

  it('calls exactly the users of an included source who are neither excluded nor held out', async () => {
    const [everybody, riders, staff, odd] = await Promise.all(
      ['everybody', 'riders', 'staff', 'odd-riders'].map((segment) => members(segment)),
    );
    const earlier = await muster.api.run({
      name: 'Rewards',
      countries,
      segment: 'everybody',
      chain: [{ action: 'award-reward', params: { rewardId: 'ride-5', units: 1 } }],
    });
    await muster.api.awaitEnd(earlier);
    const { failed } = await effectsOf(earlier);
    expect(failed.size).toBeGreaterThan(300);

    // Lists every fifth user of everybody in reverse order, and some users twice.
    const listed = countries.map((country): [string, string[]] => {
      return [country, (everybody?.get(country) ?? []).filter((_, index) => index % 5 === 0)];
    });
    const rows = listed.flatMap(([country, users]) => users.map((user) => `${user},${country}`)).toReversed();
    const list = await upload([...rows, ...rows.slice(0, 100)]);

    const runId = await muster.api.run({
      name: 'Whoever was forgotten',
      countries,
      audience: {
        include: [{ segment: 'riders' }, { segment: 'odd-riders' }, { list }, { runId: earlier, outcomes: ['failed'] }],
        exclude: [{ segment: 'staff' }],
        ...holdOut,
      },
      chain: points,
    });
    await muster.api.awaitEnd(runId);

    const report = await muster.api.report(runId);
    const called = await effectsOf(runId);
    expect(report).toMatchObject({ state: 'completed', balanced: true });
    for (const [country, friends] of listed) {
      const whole = everybody?.get(country) ?? [];
      const parts = [riders?.get(country) ?? [], odd?.get(country) ?? [], friends, whole.filter((u) => failed.has(u))];
      const excluded = new Set(staff?.get(country));
      const included = new Set(parts.flat());
      const audience = [...included].filter((user) => !excluded.has(user));
      const expected = audience.filter((user) => !isHeldOut(user));
      const served = [...called.applied.keys()].filter((user) => called.countries.get(user) === country);
      expect(served.toSorted()).toEqual(expected.toSorted());

      const line = report.countries.find((each) => each.country === country);
      const heldOut = audience.length - expected.length;
      expect(heldOut).toBeGreaterThan(0);
      expect(line).toMatchObject({ audience: audience.length, excluded: included.size - audience.length });
      expect(line?.steps).toMatchObject([{ succeeded: expected.length, heldOut, failed: 0, unknown: 0 }]);
    }
    expect([...called.applied.values()].every((times) => times === 1)).toBe(true);
  });
});
