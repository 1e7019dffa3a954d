import { Readable } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { createTestTerminal } from '../../cli/frame/test-terminal.ts';
import { runProgram } from '../../cli/program.ts';
import { createCampaign, explainRunUser, listRuns, startCampaign, startTrial } from '../../sdk/generated/sdk.gen.ts';
import type { FaultSettings } from '../../services/sandbox/faults/fault-rules.ts';
import { violations } from '../support/evidence.ts';
import { countries, startInstallation, type Installation } from './installation.ts';

const segment = 'lapsed-riders';
const chainWith = (template: string) => [{ action: 'send-message', params: { template } }];
const cap = { name: 'weekly', actionTypes: ['send-message'], effects: 1, days: 7 };
/** The first campaign does not serve some users, who therefore do not count. */
const failures: FaultSettings['calls'] = [
  {
    name: 'unreachable',
    params: { template: 'first' },
    answer: { kind: 'fail-users', userShare: 0.1, code: 'unreachable' },
  },
];

let muster: Installation;
afterEach(() => muster.stop());

/** Sets the cap through the command line. */
async function setCap(): Promise<void> {
  const terminal = createTestTerminal();
  const input = Readable.from([JSON.stringify({ caps: [cap] })]);
  const onInterrupt = () => new AbortController().signal;
  const context = { terminal, environment: muster.cliEnvironment, input, onInterrupt };
  expect(await runProgram(['caps', '-f', '-'], context)).toBe(0);
  expect(terminal.written.out).toContain('weekly');
}

it('a second campaign suppresses exactly the users that the first one served, as its dry run predicted', async () => {
  muster = await startInstallation({
    workers: 2,
    sandbox: { SANDBOX_SEGMENTS: `${segment}=6000`, SANDBOX_FAULTS: JSON.stringify({ calls: failures }) },
  });
  const { api } = muster;
  const { client } = api;
  await setCap();

  const firstId = await api.run({ name: 'First news', countries, segment, chain: chainWith('first') });
  await api.awaitEnd(firstId);
  const first = await muster.evidence(firstId, segment);
  expect(violations(first)).toEqual([]);
  const served = new Set(first.effects[0]?.keys());
  expect(first.failures.length).toBeGreaterThan(300);

  const body = { name: 'Second news', countries, audience: { include: [{ segment }] }, chain: chainWith('second') };
  const { id } = (await createCampaign({ client, body })).data;
  const { run: dryRun } = (await startTrial({ client, path: { id }, body: { kind: 'dry-run' } })).data;
  const dryRunId = dryRun?.runId ?? '';
  await api.awaitEnd(dryRunId);
  const predicted = await api.report(dryRunId);
  expect(predicted.failures).toMatchObject(
    countries.toSorted().map((country) => ({ country, step: 1, outcome: 'suppressed', reason: 'muster.cap' })),
  );

  await startCampaign({ client, path: { id } });
  const secondId = await vi.waitFor(
    async () => {
      const [run] = (await listRuns({ client, query: { campaignId: id } })).data.items;
      return run?.runId ?? expect.unreachable('the campaign has no run yet');
    },
    { timeout: 60_000 },
  );
  await api.awaitEnd(secondId);
  const second = await muster.evidence(secondId, segment);
  expect(violations({ ...second, suppressed: [served] })).toEqual([]);
  expect(new Set(second.failures.map(({ user }) => user))).toEqual(served);
  expect(new Set(second.effects[0]?.keys())).toEqual(new Set(first.failures.map(({ user }) => user)));
  expect((await api.report(secondId)).steps).toMatchObject([{ suppressed: served.size, failed: 0, unknown: 0 }]);
  expect(predicted.steps).toMatchObject([{ suppressed: served.size }]);

  const [user = ''] = served;
  const explained = (await explainRunUser({ client, path: { id: secondId, userId: user } })).data;
  expect(explained.steps).toMatchObject([
    {
      outcome: 'suppressed',
      reason: 'muster.cap',
      detail: 'weekly: 1 of at most 1 within 7 days',
      attempts: [],
    },
  ]);
});
