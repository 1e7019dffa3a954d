import { createWorker } from '../../services/worker/assemble-worker.ts';
import type { BatchAnswer } from '../../services/worker/endpoint/batch-endpoint.port.ts';
import { passTime } from '../support/pass-time.ts';
import { answerOf, createWorkerFixture, type SeenCall } from '../support/worker-fixture.ts';
import { batchesOf } from './three-workers.ts';

/** An answer of the endpoint to a call of the bad campaign. */
export type BadAnswer =
  'hangs' | 'resets' | 'half a body' | '500' | '503' | '429' | '429 with Retry-After' | 'slow answers';

export interface Scenario {
  answer: BadAnswer;
  /** Slots of the action type, per worker. */
  slots: number;
  workers: number;
  /**
   * `bad`: the endpoint answers the bad campaign this way for three seconds before the healthy one starts. `healthy`:
   * the bad campaign starts half a second after the healthy one. `turned`: the endpoint serves the bad campaign well
   * until the healthy one starts.
   */
  first: 'bad' | 'healthy' | 'turned';
  /** Number of bad campaigns; one unless given. */
  bad?: number;
  /** Calls a second of the action type; unlimited unless given. */
  callsPerSecond?: number;
  /**
   * Milliseconds from the start of the bad campaign, if it is first, to that of the healthy one; 3,000 unless given.
   */
  leadMs?: number;
}

export interface Outcome {
  /** Milliseconds of the healthy campaign beside campaigns that are as healthy, and beside the bad ones. */
  withHealthyMs: number;
  withBadMs: number;
  /** Milliseconds from the repair of the endpoint until it has served some work of the bad campaign. */
  mendedMs: number;
}

const callMs = 150;
const timeoutMs = 10_000;
const sweepEveryMs = 1000;
const usualLeadMs = 3000;
/**
 * Number of rounds of calls of the healthy campaign with half of the slots: fewer for many slots, so that the test
 * stays quick.
 */
const roundsOf = (slots: number) => (slots < 20 ? 36 : Math.ceil(480 / slots) + 8);
const chainOf = (rewardId: string) => ({
  chain: [{ action: 'award-reward', params: { rewardId } }],
  deadlineSeconds: 86_400,
});

/** Times beside healthy campaigns, which do not depend on the answer of the endpoint. */
const healthyTimes = new Map<string, number>();

export async function compareNeighbours(scenario: Scenario): Promise<Outcome> {
  const { answer: _answer, ...terms } = scenario;
  const key = JSON.stringify(terms);
  const withHealthyMs = healthyTimes.get(key) ?? (await runNeighbours(scenario, false)).healthyMs;
  healthyTimes.set(key, withHealthyMs);
  const { healthyMs, mendedMs } = await runNeighbours(scenario, true);
  return { withHealthyMs, withBadMs: healthyMs, mendedMs };
}

async function runNeighbours(scenario: Scenario, isBroken: boolean) {
  const { answer, slots, workers, first, bad: badCampaigns = 1, callsPerSecond, leadMs = usualLeadMs } = scenario;
  const fixture = createWorkerFixture({
    type: {
      class: 'A',
      concurrency: slots,
      timeoutMs,
      ...(callsPerSecond === undefined ? {} : { ratePerSecond: { calls: callsPerSecond } }),
    },
    concurrency: 2 * slots,
    partitions: 4,
  });
  const { clock, endpoint, feed, sweepOverdue } = fixture;
  let isBad = false;
  endpoint.answer = async (seen) => {
    if (isBad && seen.call.action.params['rewardId'] === 'bad') return await badAnswer(answer, seen, fixture.clock);
    await clock.sleep(callMs);
    return succeeded(seen);
  };
  for (let index = 0; index < workers; index++) await createWorker(fixture.workerDeps(`w${index}`)).start();

  const runIds: string[] = [];
  let sweptAtMs = clock.nowMs();
  async function pass(ms: number): Promise<void> {
    await passTime(clock, ms);
    if (clock.nowMs() - sweptAtMs < sweepEveryMs) return;
    sweptAtMs = clock.nowMs();
    for (const runId of runIds) await sweepOverdue(runId);
  }
  async function passUntil(isMet: () => boolean, withinMs: number): Promise<number> {
    const beginMs = clock.nowMs();
    while (!isMet() && clock.nowMs() - beginMs < withinMs) await pass(50);
    return clock.nowMs() - beginMs;
  }
  async function start(name: string, rewardId: string, batches: number) {
    const run = await feed(batchesOf(name, batches), chainOf(rewardId));
    runIds.push(run.runId);
    return { ...run, served: () => run.totals()[0]?.succeeded ?? 0 };
  }

  const round = slots * workers;
  const count = Math.ceil((round * roundsOf(slots)) / (1 + badCampaigns));
  /** Enough batches for the bad campaign to be called all the time. */
  const countOfBad = Math.ceil((round * (leadMs / callMs + 2 * roundsOf(slots))) / badCampaigns);
  const startBad = async () => {
    const campaigns = [];
    for (let index = 0; index < badCampaigns; index++) campaigns.push(await start(`bad${index}x`, 'bad', countOfBad));
    return campaigns;
  };
  let bad: Awaited<ReturnType<typeof startBad>> = [];
  if (first !== 'healthy') {
    isBad = isBroken && first === 'bad';
    bad = await startBad();
    await pass(first === 'bad' ? leadMs : 1000);
  }
  isBad = isBroken;
  const healthyAtMs = clock.nowMs();
  const healthy = await start('good', 'good', count);
  if (first === 'healthy') {
    await pass(500);
    bad = await startBad();
  }
  await passUntil(() => healthy.served() >= Math.ceil(0.99 * count), 60_000);
  const healthyMs = clock.nowMs() - healthyAtMs;
  if (!isBroken) return { healthyMs, mendedMs: 0 };

  isBad = false;
  const served = () => bad.reduce((sum, campaign) => sum + campaign.served(), 0);
  const enough = served() + 4 * round;
  return { healthyMs, mendedMs: await passUntil(() => served() >= enough, 300_000) };
}

async function badAnswer(answer: BadAnswer, seen: SeenCall, clock: { sleep(ms: number): Promise<void> }) {
  const status = (code: number, retryAfterMs: number | null = null): BatchAnswer => ({
    kind: 'answered',
    status: code,
    retryAfterMs,
    body: Buffer.from('{}'),
  });
  const ambiguous = (cause: string): BatchAnswer => ({ kind: 'ambiguous', cause });
  switch (answer) {
    case 'hangs':
      await clock.sleep(timeoutMs);
      return { kind: 'ambiguous', cause: 'no answer within 10 s', timedOut: true } as const;
    case 'slow answers':
      await clock.sleep(3000);
      return succeeded(seen);
    default:
      await clock.sleep(5);
  }
  switch (answer) {
    case 'resets':
      return ambiguous('connection reset');
    case 'half a body':
      return ambiguous('the answer broke off');
    case '500':
      return status(500);
    case '503':
      return status(503);
    case '429':
      return status(429);
    default:
      return status(429, 5000);
  }
}

function succeeded({ call }: SeenCall): BatchAnswer {
  return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
}
