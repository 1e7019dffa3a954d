import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { runToEnd } from '../campaign-times.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { median, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import { machineClockMs } from '../stub/call-log.ts';
import type { Stub } from '../stub/stub.ts';
import { addWaitingRuns } from './waiting-runs.ts';

const countries = ['SG', 'ID', 'VN', 'MY', 'TH'];
const chain = [
  { action: 'award-reward', params: { rewardId: 'ride-5' } },
  { action: 'send-message', params: { rewardId: 'ride-5' } },
];
/** Rate that slots and call times allow a campaign in each of its steps, in batches of 100 users. */
const batchesPerSecond = 400;
const latencyMs = 200;
/** Number of slots for totals that 100 workers share. */
const totalsSlots = 64;
const warmUpUsers = 100_000;
/**
 * A campaign's rate is measured for `windowMs`. The measurement begins `settleMs` after the campaign's first answers
 * from the last step, and as long after a restart of the trigger.
 */
const settleMs = 3000;
const windowMs = 15_000;
const pollMs = 20;
/** Audience of the measured campaign: more users than it can process while it is measured. */
const users = 4_000_000;
const smallUsers = 1000;

interface NeighbourFigures {
  rate: number;
  /** Rate after the trigger was replaced by a new process, which does not know the waiting runs yet. */
  restarted: number;
  /** Milliseconds from the start of a campaign of ten batches to its last answer. */
  smallMs: number;
  /** Milliseconds from a campaign's cancellation to its end. */
  cancelMs: number;
}

/** Measures how a campaign is affected by many runs that only wait. */
export async function measureRuns(
  servers: Servers,
  { counts, rounds }: { counts: readonly number[]; rounds: number },
): Promise<Table> {
  const measured = new Map(counts.map((count) => [count, new Array<NeighbourFigures>()]));
  for (let round = 1; round <= rounds; round++) {
    await eachCount(servers, counts, (count, beside) => {
      measured.get(count)?.push(beside);
      console.error(`round ${round}, ${count} runs that wait: ${JSON.stringify(beside)}`);
    });
  }
  const alone = measured.get(counts[0] ?? 0) ?? [];
  return {
    title: `A campaign that could do ${batchesPerSecond} batches a second beside so many runs that wait in five countries`,
    rows: [...measured].map(([count, ofCount]) => rowOf(count, ofCount, alone)),
  };
}

/** Adds waiting runs to one installation until it has each number in `counts`, and measures at each number. */
async function eachCount(
  { infrastructure, stub }: Servers,
  counts: readonly number[],
  onMeasured: (count: number, beside: NeighbourFigures) => void,
): Promise<void> {
  const slots = (batchesPerSecond * latencyMs) / 1000;
  const type = { url: `${stub.url}/batches/full/${latencyMs}`, answerForm: 'full' as const, concurrency: slots };
  const installation = await startInstallation({
    infrastructure,
    countries,
    partitionsPerShard: 6,
    segmentationUrl: stub.url,
    actionTypes: { 'award-reward': type, 'send-message': type },
    workerSlots: [2 * slots],
  });
  const writer = new pg.Pool({ connectionString: installation.databaseUrl, max: 1 });
  try {
    await runToEnd(installation, stub, campaign(warmUpUsers), warmUpUsers);
    let there = 0;
    for (const count of counts) {
      await addWaitingRuns(writer, { runs: count - there, countries, chain, slots: totalsSlots });
      there = count;
      onMeasured(count, await measureNeighbour(installation, stub));
    }
  } finally {
    await writer.end();
    await installation.stop();
  }
}

const campaign = (ofUsers: number) => ({ name: 'beside', countries: ['SG'], segment: String(ofUsers), chain });

async function measureNeighbour(installation: Installation, stub: Stub): Promise<NeighbourFigures> {
  const { api, services } = installation;
  const large = await api.start(campaign(users));
  const rate = await rateOf(stub, large);
  const startedAt = machineClockMs();
  const small = await api.start(campaign(smallUsers));
  await pollUntil(async () => (await stub.answers(small, chain.length)).length === smallUsers / 100);
  const smallMs = machineClockMs() - startedAt;
  for (const trigger of services.processes('trigger')) await services.end(trigger);
  await services.start('trigger');
  const restarted = await rateOf(stub, large);
  const run = await api.run(large);
  const cancelledAt = machineClockMs();
  await api.control(run?.runId ?? '', 'cancel');
  await pollUntil(async () => (await api.run(large))?.endedAt);
  return { rate, restarted, smallMs, cancelMs: machineClockMs() - cancelledAt };
}

/**
 * Returns the batches per second through the campaign's last step. The measurement begins some seconds after the first
 * answer.
 */
async function rateOf(stub: Stub, campaignId: string): Promise<number> {
  await pollUntil(async () => (await stub.answers(campaignId, chain.length)).length > 0);
  await wait(settleMs);
  const fromMs = machineClockMs();
  await wait(windowMs);
  const answers = await stub.answers(campaignId, chain.length);
  return (answers.filter((at) => at >= fromMs && at < fromMs + windowMs).length * 1000) / windowMs;
}

async function pollUntil(isSo: () => Promise<unknown>): Promise<void> {
  while (!(await isSo())) await wait(pollMs);
}

function rowOf(count: number, rounds: readonly NeighbourFigures[], alone: readonly NeighbourFigures[]): Row {
  const of = (what: keyof NeighbourFigures, all = rounds) => all.map((beside) => beside[what]);
  return {
    'runs that wait': count,
    'batches/s': rounded(median(of('rate'))),
    ratio: rounded(ratioByRound(of('rate'), of('rate', alone))),
    'after a restart of the trigger': rounded(median(of('restarted'))),
    'ratio then': rounded(ratioByRound(of('restarted'), of('restarted', alone))),
    'small campaign, ms': rounded(median(of('smallMs'))),
    'cancelled to ended, ms': rounded(median(of('cancelMs'))),
  };
}
