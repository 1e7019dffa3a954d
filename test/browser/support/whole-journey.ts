import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BrowserContextOptions } from 'playwright-core';
import { z } from 'zod';
import { logIn, useConsole } from './console-in-browser.ts';
import { createHand } from './hand.ts';
import { approve, tryIt, writeCampaign } from './journey-to-approval.ts';
import { pauseAndResume, readAndShare, readShared, startWithCanary } from './journey-of-run.ts';
import { openWitness, type JourneyWitness } from './journey-witness.ts';

/**
 * One campaign from a list that Excel has saved to the report that a colleague reads, by the mouse and the keyboard of
 * two people. At each decision, the numbers on the page are those of the API and of the database.
 */
const mostClicks = 30;
/** Milliseconds: the journey has to wait for three runs at their pace. */
const journeyWithinMs = 300_000;

type Look = BrowserContextOptions & { name: string };

/** @param looks one campaign each, in the same installation */
export function describeWholeJourney(looks: readonly Look[]): void {
  const consoleOf = useConsole({
    workers: 'all-in-one',
    sandbox: { SANDBOX_SEGMENTS: 'staff=400', SANDBOX_REWARDS_FAILURE_SHARE: '0.05' },
  });

  let witness: JourneyWitness;
  let keys: { manager: string; approver: string };

  async function change(method: 'POST' | 'PUT', path: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const answer = await consoleOf.muster.api.request(`/v1${path}`, { method, headers, body: JSON.stringify(body) });
    expect(answer.status, await answer.clone().text()).toBeLessThan(300);
    return answer.json();
  }

  async function keyOf(owner: string, role: string): Promise<string> {
    const made = await change('POST', '/api-keys', { name: `${owner}, ${role}`, owner, role });
    return z.object({ secret: z.string() }).parse(made).secret;
  }

  beforeAll(async () => {
    witness = await openWitness(consoleOf.muster.database.url);
    await change('PUT', '/approval-policy', { rules: [{ usersAbove: 100, approvers: 1 }] });
    keys = { manager: await keyOf('mei', 'manager'), approver: await keyOf('rahayu', 'approver') };
  });
  afterAll(() => witness.close());

  describe('the way from an Excel list to a shared report', () => {
    it.each(looks)(
      'takes at most 30 clicks, and every number is right: $name',
      async ({ name, ...options }) => {
        const hand = createHand();
        const journey = { muster: consoleOf.muster, witness, hand };
        const [maker, checker] = [await consoleOf.visitor(options), await consoleOf.visitor(options)];
        await Promise.all([logIn(maker, keys.manager), logIn(checker, keys.approver)]);
        const campaign = await writeCampaign(maker, journey, `Journey ${name.replaceAll(/\W+/g, '-')}`);
        const dryRun = await tryIt(maker, journey, campaign);
        await approve(maker, checker, journey, { ...campaign, dryRun });
        const runId = await startWithCanary(maker, journey, { ...campaign, dryRun });
        await pauseAndResume(maker, journey, runId, dryRun.audience.counted);
        const { report, link } = await readAndShare(maker, journey, { runId, users: dryRun.audience.counted });
        await readShared(await consoleOf.visitor(options), link, report);
        process.stdout.write(`clicks, ${name}: ${hand.clicks}\n`);
        expect(hand.clicks).toBeLessThanOrEqual(mostClicks);
      },
      journeyWithinMs,
    );
  });
}
