import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RunReport } from '../../shared/contracts/runs/runs.ts';
import type { FaultSettings } from '../../services/sandbox/faults/fault-rules.ts';
import { violations } from '../support/evidence.ts';
import { rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const receipts: FaultSettings['receipts'] = [
  { name: 'never', countries: ['VN'], share: 0.1, answer: { kind: 'never' } },
  { name: 'twice', share: 0.2, answer: { kind: 'twice' } },
  { name: 'both', share: 0.2, answer: { kind: 'contradictory' } },
  { name: 'late', share: 0.2, answer: { kind: 'late', byMs: 3000 } },
];

/** The sandbox accepts messages with 202 and sends receipts later: late, twice, contradictory or never. */
describe('messages that are accepted now and delivered later', () => {
  let muster: Installation;

  beforeAll(async () => {
    muster = await startInstallation({
      workers: 1,
      sandbox: {
        SANDBOX_SEGMENTS: 'riders=5000,odd=600:odd',
        SANDBOX_MESSAGES_FAILURE_SHARE: '0.02',
        SANDBOX_RECEIPTS_SECRET: secret,
        SANDBOX_RECEIPTS_UNDELIVERED_SHARE: '0.05',
        SANDBOX_FAULTS: JSON.stringify({ receipts }),
      },
      engine: { MESSAGES_RECEIPTS_SECRET: secret },
      configure: ({ actionTypes, ...config }) => {
        const messages = actionTypes['send-message'];
        if (!messages) throw new Error('there are no messages');
        const asynchronous = { ...messages, receipts: true as const, receiptsSecretEnv: 'MESSAGES_RECEIPTS_SECRET' };
        return { ...config, actionTypes: { ...actionTypes, 'send-message': asynchronous } };
      },
    });
  });
  afterAll(() => muster.stop());

  const messagesOf = (report: RunReport) => report.steps[1];

  /** Returns the number of users so far for whom the sandbox will send no receipt. */
  async function neverReceivedOf(): Promise<number> {
    const answer = await fetch(`${muster.sandboxUrl}/control`);
    return control.parse(await answer.json()).hits['never'] ?? 0;
  }

  async function awaitReceipts(runId: string, never: number): Promise<RunReport> {
    for (;;) {
      const report = await muster.api.report(runId);
      if ((messagesOf(report)?.receipts?.awaiting ?? Infinity) <= never) return report;
      await wait(100);
    }
  }

  it.each(['riders', 'odd'])('do not delay a run of %s, and their receipts are counted separately', async (segment) => {
    const before = await neverReceivedOf();
    const chain = rewardThenMessage;
    const runId = await muster.api.run({ name: 'Receipts', countries: ['SG', 'VN'], segment, chain });
    const ended = await muster.api.awaitEnd(runId);
    expect(ended.state).toBe('completed_with_failures');
    const accepted = await muster.effectsOf(runId, 2);
    const never = (await neverReceivedOf()) - before;
    expect(never).toBeGreaterThan(0);

    const line = messagesOf(await awaitReceipts(runId, never));
    expect(line).toMatchObject({ succeeded: accepted, pending: 0, receipts: { awaiting: never } });
    const { delivered = 0, undelivered = 0 } = line?.receipts ?? {};
    expect(delivered + undelivered).toBe(accepted - never);
    expect(undelivered).toBeGreaterThan(0);
    expect(violations(await muster.evidence(runId, segment))).toEqual([]);

    const headers = { accept: 'text/csv' };
    const listed = await muster.api.request(`/v1/runs/${runId}/receipts?status=undelivered`, { headers });
    const [head, ...rows] = (await listed.text()).trimEnd().split('\r\n');
    expect(head).toBe('userId,step,country,status,code,at,receivedAt');
    expect(rows).toHaveLength(undelivered);
  });
});

const control = z.object({ hits: z.record(z.string(), z.int()) });
