import { awaitEnd, usersPerBatch } from '../campaign-times.ts';
import { startInstallation } from '../installation.ts';
import { median, rounded, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';

/**
 * Measures the time of the report of a campaign in which all users failed, for one of twenty reasons. The engine itself
 * records the failures, because the stub refuses each user. So the benchmark does not depend on the engine's tables.
 */
const country = 'SG';
const inFlight = 100;
const looks = 7;
/** A report that takes longer is not requested again. */
const slowMs = 10_000;

export async function measureReport({ infrastructure, stub }: Servers, failures: readonly number[]): Promise<Table> {
  const installation = await startInstallation({
    infrastructure,
    countries: [country],
    partitionsPerShard: 6,
    segmentationUrl: stub.url,
    actionTypes: {
      'award-reward': { url: `${stub.url}/batches/compact/0`, answerForm: 'compact', concurrency: inFlight },
    },
    workerSlots: [inFlight],
  });
  try {
    const rows = [];
    for (const users of failures) {
      console.error(`a campaign in which ${users.toLocaleString('en')} users fail`);
      const chain = [{ action: 'award-reward', params: { rewardId: 'sold-out' } }];
      const campaign = { name: 'sold out', countries: [country], segment: String(users), chain };
      const campaignId = await installation.api.start(campaign);
      const { runId } = await awaitEnd(installation, campaignId);
      const { steps } = await installation.api.figures(runId);
      if (steps[0]?.failed !== users) throw new Error(`${steps[0]?.failed ?? 0} of ${users} users failed`);
      const calls = await stub.progress(campaignId, 1);
      const seconds = calls ? ((calls.lastAnswerAt ?? 0) - calls.firstCallAt) / 1000 : Number.NaN;
      const times = await timesOf(() => installation.api.firstByteOfReport(runId));
      const [first = Number.NaN, ...again] = times;
      rows.push({
        failures: users,
        'batches/s while they failed': rounded(users / usersPerBatch / seconds),
        'first byte, first time, ms': roundedMs(first),
        'again, ms': again.length === 0 ? null : roundedMs(median(again)),
      });
    }
    return { title: 'First byte of a report', rows };
  } finally {
    await installation.stop();
  }
}

/** Returns the milliseconds of each report; infinite for a refused report. */
async function timesOf(look: () => Promise<number | null>): Promise<number[]> {
  const times: number[] = [];
  while (times.length < looks && (times.at(-1) ?? 0) < slowMs) times.push((await look()) ?? Number.POSITIVE_INFINITY);
  return times;
}

function roundedMs(ms: number): number | string {
  return Number.isFinite(ms) ? rounded(ms) : 'refused';
}
