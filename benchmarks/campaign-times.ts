import { setTimeout as wait } from 'node:timers/promises';
import type { Run } from '../sdk/generated/types.gen.ts';
import type { Campaign } from './muster-api.ts';
import type { Installation } from './installation.ts';
import { machineClockMs } from './stub/call-log.ts';
import type { Stub } from './stub/stub.ts';

export const usersPerBatch = 100;

const pollMs = 20;
const endDeadlineMs = 600_000;

/**
 * Runs a campaign to its end over `users` users who all succeed, and throws if not all of them did.
 * @returns seconds from the first call that the endpoints received to their last answer
 */
export async function runToEnd(
  installation: Installation,
  stub: Stub,
  campaign: Campaign,
  users: number,
): Promise<number> {
  const campaignId = await installation.api.start(campaign);
  const lastStep = campaign.chain.length;
  const batches = Math.ceil(users / usersPerBatch);
  for (;;) {
    const [first, last] = await Promise.all([stub.progress(campaignId, 1), stub.progress(campaignId, lastStep)]);
    const lastAnswerAt = last?.lastAnswerAt ?? null;
    if (first && last && lastAnswerAt !== null && last.answered >= batches) {
      const run = await awaitEnd(installation, campaignId);
      const { steps } = await installation.api.figures(run.runId);
      const succeeded = steps.at(-1)?.succeeded;
      if (succeeded !== users) throw new Error(`${succeeded} of ${users} users succeeded in the last step`);
      return (lastAnswerAt - first.firstCallAt) / 1000;
    }
    await wait(pollMs);
  }
}

/** Resolves when the campaign's run has ended. */
export async function awaitEnd({ api }: Installation, campaignId: string): Promise<Run> {
  const giveUpAt = machineClockMs() + endDeadlineMs;
  for (;;) {
    const run = await api.run(campaignId);
    if (run?.endedAt) return run;
    if (machineClockMs() > giveUpAt) throw new Error(`${campaignId} is ${run?.state ?? 'without a run'} for too long`);
    await wait(pollMs);
  }
}
