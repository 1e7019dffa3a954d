import { setTimeout as wait } from 'node:timers/promises';
import { withReceiver } from '../firing/calls.ts';
import type { Firing, JobsToAdd } from '../firing/installation.ts';
import { leadTimeMs, timeoutMs, startWarm, withFiring } from '../firing/lags.ts';
import type { Receiver } from '../firing/receiver.ts';
import { median, percentile, ratioByRound, rounded, type Row } from '../results.ts';
import type { Servers } from '../servers.ts';

/** A client with more jobs than its receiver can process, beside a neighbour whose receiver answers at once. */
export interface Crowd {
  /** Name for `--only`. */
  name: string;
  title: string;
  jobs: number;
  /**
   * Number of clients that share the jobs, each limited to one call in ten seconds. Undefined means one client without
   * that limit.
   */
  clients?: number;
  overMs: number;
  /** Concurrent calls of the crowd's client. */
  concurrency: number;
  /** Milliseconds that the crowd's receiver takes to answer. */
  latencyMs: number;
  /** Milliseconds from the crowd's first due time to the neighbour's. */
  leadMs: number;
}

export const crowds: readonly Crowd[] = [
  {
    name: 'slow-receiver',
    title: '9,000 jobs of another client, due one by one, whose receiver takes 5 s',
    jobs: 9000,
    overMs: 54_000,
    concurrency: 5,
    latencyMs: 5000,
    leadMs: 30_000,
  },
  {
    name: 'due-at-once',
    title: '200,000 jobs of another client, due at once, whose receiver takes 300 ms',
    jobs: 200_000,
    overMs: 1,
    concurrency: 50,
    latencyMs: 300,
    leadMs: 5000,
  },
];

/** Calls per second of the neighbour; `neighbourMs` is how long it keeps this rate. */
const perSecond = 400;
const neighbourMs = 12_000;
const neighbourJobs = (perSecond * neighbourMs) / 1000;

export const crowdTitle = `A client with ${perSecond} callbacks a second, beside another`;

const maxLagRatio = 1.2;
const maxAddedLagMs = 50;

/** Delays of the neighbour's calls in milliseconds: alone, and beside the crowd. */
export interface CrowdRound {
  alone: readonly number[];
  beside: readonly number[];
}

/**
 * Measures the neighbour alone, and again beside the crowd, in one installation.
 * @param neighbours number of clients that share the neighbour's jobs; 1 means the client `quiet`
 */
export async function measureCrowd(crowd: Crowd, servers: Servers, neighbours = 1): Promise<CrowdRound> {
  const { jobs, clients, overMs, concurrency, latencyMs, leadMs } = crowd;
  return await withReceiver((receiver) =>
    withFiring(servers, async (firing) => {
      await firing.define('jobs', { concurrency });
      const client = neighbours === 1 ? 'quiet' : await firing.addClients(neighbours);
      const owner = clients === undefined ? 'jobs' : await firing.addClients(clients, { publishRatePerSecond: 0.1 });
      await startWarm(firing, receiver, client);
      const alone = await neighbourLags(firing, receiver, { before: 0, inMs: leadTimeMs(neighbourJobs), client });
      const url = `${receiver.url}slow/${latencyMs}/`;
      const { fromMs } = await firing.addJobs({ jobs, overMs, inMs: leadTimeMs(jobs), url, client: owner });
      const inMs = fromMs + leadMs - Date.now();
      const beside = await neighbourLags(firing, receiver, { before: alone.length, inMs, client });
      if ((await firing.ended(owner)) >= jobs) throw new Error(`${crowd.name}: the crowd ended too soon`);
      return { alone, beside };
    }),
  );
}

async function neighbourLags(
  firing: Firing,
  receiver: Receiver,
  { before, inMs, client }: { before: number; inMs: number; client: NonNullable<JobsToAdd['client']> },
): Promise<readonly number[]> {
  const ended = await firing.ended(client);
  await firing.addJobs({ jobs: neighbourJobs, overMs: neighbourMs, inMs, url: `${receiver.url}quiet/`, client });
  await wait(inMs);
  await firing.untilEnded(ended + neighbourJobs, neighbourMs + timeoutMs, client);
  return (await receiver.lags()).quiet.slice(before);
}

export function crowdRow({ title }: Crowd, rounds: readonly CrowdRound[]): Row {
  const at = (side: keyof CrowdRound, share: number) => rounds.map((round) => percentile(round[side], share));
  const [alone, beside] = [at('alone', 0.99), at('beside', 0.99)];
  const over = beside.map((ms, round) => ms - ((alone[round] ?? 0) * maxLagRatio + maxAddedLagMs));
  return {
    'beside it': title,
    'alone p50, ms': rounded(median(at('alone', 0.5))),
    'beside p50, ms': rounded(median(at('beside', 0.5))),
    'alone p99, ms': rounded(median(alone)),
    'beside p99, ms': rounded(median(beside)),
    'p99 ratio': rounded(ratioByRound(beside, alone)),
    [`p99 at most ${maxLagRatio} × alone + ${maxAddedLagMs} ms`]: median(over) <= 0 ? 'reached' : 'missed',
  };
}
