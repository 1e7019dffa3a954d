import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { ensureConsoleBuilt } from '../../services/console/built-console.ts';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import { startChild } from '../child.ts';
import { processesOf, startInstallation, ownRoot, type Installation } from '../installation.ts';
import { percentile, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import { withServers } from '../servers.ts';
import { databaseSettings } from '../warm-database.ts';
import type { ConsoleUnderTest } from './console-under-test.ts';
import { openSessions, takeTurn } from './consoles.ts';
import { requestNames, typicalRequests, type RequestName } from './typical-requests.ts';

/**
 * Cases that show how the API's other clients are affected by a run of 1,000,000 users, processed by all services, and
 * by 500 pages that follow it. Each round runs without either, with the run, and with both. The run has a limited rate,
 * because at its full rate it takes all cores.
 */
const cases = ['alone', 'beside the run', 'beside the run and 500 streams'] as const;
type Case = (typeof cases)[number];

const opened = 500;
const users = 1_000_000;
const paceUsersPerSecond = 5000;
const latencyMs = 20;
const requestsPerSecond = 60;
const startMs = 5000;
const [country, slots] = ['SG', 50];

export async function measureStreams({ rounds, quick }: { rounds: number; quick: boolean }): Promise<Table[]> {
  await ensureConsoleBuilt();
  return await withServers(databaseSettings, async ({ infrastructure, stub }) => {
    const endpoint = {
      url: `${stub.url}/batches/compact/${latencyMs}`,
      answerForm: 'compact',
      concurrency: slots,
    } as const;
    const installation = await startInstallation({
      infrastructure,
      countries: [country],
      partitionsPerShard: 6,
      segmentationUrl: stub.url,
      actionTypes: { 'award-reward': endpoint, 'award-points': endpoint },
      workerSlots: [slots],
    });
    const { databaseUrl, url, apiKey } = installation;
    const logger = pino({ level: 'silent' });
    const pool = createPool({ connectionString: databaseUrl, applicationName: 'bench', logger });
    try {
      const muster = { url, apiKey, pool, databaseUrl, processes: processesOf(installation, infrastructure) };
      return [await measure(muster, installation, { rounds, seconds: quick ? 10 : 30 })];
    } finally {
      await pool.end();
      await installation.stop();
    }
  });
}

type DurationsByRequest = ReadonlyMap<RequestName, number[]>;

async function measure(
  muster: ConsoleUnderTest,
  installation: Installation,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Table> {
  const turns = new Map(cases.map((each) => [each, new Array<DurationsByRequest>()]));
  const cookies = await openSessions(muster, opened);
  const reader = startChild(join(ownRoot, 'benchmarks/console/consoles-process.ts'));
  const warmUp = await startRun(installation, 'warm-up', 100_000);
  const requests = await typicalRequests(muster, warmUp);
  try {
    await requests.send(requestsPerSecond, seconds);
    for (let round = 1; round <= rounds; round++) {
      turns.get('alone')?.push(await requests.send(requestsPerSecond, seconds));
      const runId = await startRun(installation, `round ${round}`, users);
      await wait(startMs);
      turns.get('beside the run')?.push(await requests.send(requestsPerSecond, seconds));
      const stream = `/v1/live?runs=${runId}&campaigns=false&lines=all`;
      const consoles = cookies.map((cookie) => ({ cookie, stream, asks: [] }));
      const { tookMs } = await takeTurn(muster, { reader, requests, consoles, seconds });
      turns.get('beside the run and 500 streams')?.push(tookMs);
      const { steps } = await installation.api.figures(runId);
      const done = steps.at(-1)?.succeeded ?? 0;
      if (done === 0 || done >= users) throw new Error(`the run was not under way: ${done} of ${users} users`);
      await installation.api.control(runId, 'cancel');
      await wait(startMs);
      console.error(`round ${round} of ${rounds}: ${done} users were through`);
    }
  } finally {
    await requests.close();
    await reader.stop();
  }
  return {
    title: `Requests of others beside a run of ${users.toLocaleString('en')} users at ${paceUsersPerSecond} users/s`,
    rows: requestNames.flatMap((name) => cases.map((each) => rowOf(name, each, turns))),
  };
}

async function startRun({ api }: Installation, name: string, size: number): Promise<string> {
  const chain = [
    { action: 'award-reward', params: { rewardId: 'ride-5' } },
    { action: 'award-points', params: { points: '100' } },
  ];
  const campaignId = await api.start({ name, countries: [country], segment: String(size), chain, paceUsersPerSecond });
  for (;;) {
    const run = await api.run(campaignId);
    if (run?.startedAt) return run.runId;
    await wait(50);
  }
}

function rowOf(name: RequestName, each: Case, turns: ReadonlyMap<Case, readonly DurationsByRequest[]>): Row {
  const of = (some: Case) => (turns.get(some) ?? []).map((took) => took.get(name) ?? []);
  const p99s = (some: Case) => of(some).map((tookMs) => percentile(tookMs, 0.99));
  const all = of(each).flat();
  return {
    request: name,
    case: each,
    'p50 ms': rounded(percentile(all, 0.5)),
    'p99 ms': rounded(percentile(all, 0.99)),
    'p99, ratio to alone': rounded(ratioByRound(p99s(each), p99s('alone'))),
  };
}
