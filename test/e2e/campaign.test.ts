import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunProgress } from '../../shared/contracts/runs/runs.ts';
import { violations } from '../support/evidence.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const users = 125_000;

describe('a campaign over 125,000 users in three countries', () => {
  let muster: Installation;

  beforeAll(async () => {
    muster = await startInstallation({
      workers: 2,
      sandbox: {
        SANDBOX_SEGMENTS: `lapsed-riders=${users},odd-riders=3000:odd`,
        SANDBOX_REWARDS_FAILURE_SHARE: '0.02',
        SANDBOX_MESSAGES_FAILURE_SHARE: '0.01',
      },
    });
  });
  afterAll(() => muster.stop());

  it('awards rewards, sends messages, lists failed users and ends with an exact report (P1, P2, P3)', async () => {
    const runId = await muster.api.run({
      name: 'Lapsed riders, December',
      countries,
      segment: 'lapsed-riders',
      chain: rewardThenMessage,
    });
    const seen: RunProgress[] = [];
    await muster.api.awaitEnd(runId, (progress) => seen.push(progress));

    const report = await muster.api.report(runId);
    expect(report.state).toBe('completed_with_failures');
    expect(report.balanced).toBe(true);
    expect(report.audience).toEqual({ estimated: users, counted: users, excluded: 0, complete: true });
    expect(report.countries.map(({ country }) => country).sort()).toEqual(countries.toSorted());
    expect(violations(await muster.evidence(runId, 'lapsed-riders'))).toEqual([]);

    const [rewards, messages] = report.steps;
    expect(rewards?.failed).toBeGreaterThan(users * 0.015);
    expect(rewards?.failed).toBeLessThan(users * 0.025);
    expect(messages?.skipped).toBe(rewards?.failed);
    expect(messages?.failed).toBeGreaterThan(users * 0.005);
    const listed = report.failures.reduce((sum, group) => sum + group.users, 0);
    expect(listed).toBe((rewards?.failed ?? 0) + (messages?.failed ?? 0));

    expect(seen.length).toBeGreaterThan(2);
    expect(seen.every((progress) => progress.balanced)).toBe(true);
    const served = seen.map((progress) => progress.steps.reduce((sum, line) => sum + line.succeeded, 0));
    expect(served).toEqual(served.toSorted((a, b) => a - b));
  });

  it('serves users whose ids contain spaces, quotes, percent signs, emoji and backslashes', async () => {
    const chain = [{ action: 'award-points', params: { points: 10 } }];
    const runId = await muster.api.run({ name: 'Odd riders', countries, segment: 'odd-riders', chain });
    await muster.api.awaitEnd(runId);

    expect((await muster.api.report(runId)).state).toBe('completed');
    expect(violations(await muster.evidence(runId, 'odd-riders'))).toEqual([]);
  });
});
