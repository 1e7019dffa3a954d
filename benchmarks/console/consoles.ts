import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { addApiKey } from '../../shared/postgres/registry/add-api-key.ts';
import { issueApiKey } from '../../shared/runtime/installation/api-key-secret.ts';
import { startChild, type Child } from '../child.ts';
import { residentMiB, startCpuMeter } from '../cpu.ts';
import { ownRoot } from '../installation.ts';
import { median, percentile, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import type { ConsoleUnderTest } from './console-under-test.ts';
import type { ConsolesOrder } from './consoles-process.ts';
import { writeLiveRuns } from './live-runs.ts';
import type { Received, OpenConsole } from './open-consoles.ts';
import { openSession } from './open-session.ts';
import { startPace } from './pace.ts';
import { requestNames, typicalRequests, type RequestName, type TypicalRequests } from './typical-requests.ts';

/**
 * Cases that show how open consoles affect other clients, and what one console costs. Each round runs once without
 * consoles, and once with each kind.
 */
const cases = ['none', 'streams alone', 'with what their pages ask'] as const;
type Case = (typeof cases)[number];

const opened = 200;
/** People who log in with the same API key. */
const peoplePerKey = 20;
const liveRuns = { runs: 20, countries: 8, steps: 3 };
const batchesPerSecond = 5000;
const tickMs = 400;
const requestsPerSecond = 60;
const settleMs = 3000;

interface Turn {
  tookMs: Map<RequestName, number[]>;
  /** CPU seconds used while the requests were sent. Every turn sends the same number of requests. */
  cpu: Record<string, number>;
  sendingSeconds: number;
  apiMiB: number;
  received: Received;
  openSeconds: number;
}

export async function measureConsoles(
  muster: ConsoleUnderTest,
  { rounds, quick }: { rounds: number; quick: boolean },
): Promise<Table[]> {
  const runs = await writeLiveRuns(muster.pool, liveRuns);
  const pace = startPace(runs, batchesPerSecond, tickMs);
  const reader = startChild(join(ownRoot, 'benchmarks/console/consoles-process.ts'));
  const [runId = ''] = runs.runIds;
  const requests = await typicalRequests(muster, runId);
  try {
    const cookies = await openSessions(muster, opened);
    const seconds = quick ? 10 : 30;
    const turns = new Map(cases.map((each) => [each, new Array<Turn>()]));
    await requests.send(requestsPerSecond, 3);
    for (let round = 1; round <= rounds; round++) {
      for (const each of cases) {
        const consoles = consolesOf(each, cookies, runs.runIds);
        turns.get(each)?.push(await takeTurn(muster, { reader, requests, consoles, seconds }));
      }
      console.error(`round ${round} of ${rounds}`);
    }
    return tablesOf(turns);
  } finally {
    await requests.close();
    await reader.stop();
    await pace.stop();
  }
}

/**
 * Opens sessions of this many people, in teams.
 * @returns their cookies
 */
export async function openSessions({ url, pool }: ConsoleUnderTest, people: number): Promise<string[]> {
  const cookies: string[] = [];
  for (let team = 0; team < people / peoplePerKey; team++) {
    const { key, secret, digest } = issueApiKey();
    await addApiKey(pool, { key, name: `team ${team}`, role: 'viewer', digest });
    for (let person = 0; person < peoplePerKey; person++) cookies.push(await openSession(url, secret));
  }
  return cookies;
}

/** Describes the open consoles: three of four show a run, the fourth shows the list of campaigns. */
function consolesOf(kind: Case, cookies: readonly string[], runIds: readonly string[]): OpenConsole[] {
  if (kind === 'none') return [];
  return cookies.map((cookie, index) => {
    const runId = runIds[index % runIds.length] ?? '';
    const { stream, asks } = index % 4 === 3 ? listPage(runIds) : runPage(runId);
    return { cookie, stream, asks: kind === 'streams alone' ? [] : [...asks, ...sharedRequests] };
  });
}

const sharedRequests = ['/v1/campaigns/counts', '/v1/shards', '/v1/quarantine/counts'].map((path) => ({
  path,
  everyMs: 60_000,
}));

const runPage = (runId: string) => ({
  stream: `/v1/live?runs=${runId}&campaigns=false&lines=all`,
  asks: [`/v1/runs/${runId}/report`, `/v1/runs/${runId}/events?limit=100`].map((path) => ({ path, everyMs: 5000 })),
});

const listPage = (runIds: readonly string[]) => ({
  stream: `/v1/live?runs=${runIds.slice(0, 20).join(',')}&campaigns=true&lines=steps`,
  asks: ['/v1/campaigns?sort=state&limit=20', '/v1/campaigns/counts'].map((path) => ({ path, everyMs: 30_000 })),
});

interface TurnTerms {
  /** Process that keeps the consoles open. */
  reader: Child;
  requests: TypicalRequests;
  consoles: OpenConsole[];
  seconds: number;
}

const receivedShape = z.object({
  events: z.number(),
  bytes: z.number(),
  answers: z.number(),
  failures: z.array(z.string()),
});

/** Sends the requests while the consoles are open. */
export async function takeTurn(
  { url, processes }: ConsoleUnderTest,
  { reader, requests, consoles, seconds }: TurnTerms,
): Promise<Turn> {
  const ask = (order: ConsolesOrder) => reader.ask(order);
  await ask({ order: 'open', url, consoles });
  await wait(settleMs);
  const startedMs = performance.now();
  const readCpu = startCpuMeter({ ...processes, reader: () => [reader.pid] });
  const tookMs = await requests.send(requestsPerSecond, seconds);
  const sendingSeconds = (performance.now() - startedMs) / 1000;
  const cpu = Object.entries(readCpu()).map(([name, micros]) => [name, micros / 1e6] as const);
  const apiMiB = (processes['api']?.() ?? []).reduce((sum, pid) => sum + residentMiB(pid), 0);
  const received = receivedShape.parse(await ask({ order: 'close' }));
  const { failures } = received;
  if (failures.length > 0)
    throw new Error(`${failures.length} of the consoles' failed: ${failures.slice(0, 5).join(', ')}`);
  await wait(settleMs);
  const openSeconds = sendingSeconds + settleMs / 1000;
  return { tookMs, cpu: Object.fromEntries(cpu), sendingSeconds, apiMiB, received, openSeconds };
}

function tablesOf(turns: ReadonlyMap<Case, readonly Turn[]>): Table[] {
  const of = (each: Case) => turns.get(each) ?? [];
  const latencies = requestNames.flatMap((name) => cases.map((each) => latencyRow(name, each, of(each), of('none'))));
  const costs = cases.map((each) => costRow(each, of(each), of('none')));
  return [
    { title: `Requests of others while ${opened} consoles are open`, rows: latencies },
    { title: `What ${opened} consoles cost`, rows: costs },
  ];
}

function latencyRow(name: RequestName, each: Case, turns: readonly Turn[], none: readonly Turn[]): Row {
  const all = turns.flatMap(({ tookMs }) => tookMs.get(name) ?? []);
  const p99s = (some: readonly Turn[]) => some.map(({ tookMs }) => percentile(tookMs.get(name) ?? [], 0.99));
  return {
    request: name,
    consoles: each,
    'p50 ms': rounded(percentile(all, 0.5)),
    'p99 ms': rounded(percentile(all, 0.99)),
    'max ms': rounded(Math.max(...all)),
    'p99, ratio to none': rounded(ratioByRound(p99s(turns), p99s(none))),
  };
}

function costRow(each: Case, turns: readonly Turn[], none: readonly Turn[]): Row {
  const ofTurns = (some: readonly Turn[], figure: (turn: Turn) => number) => median(some.map(figure));
  const shareOf = (name: string) =>
    rounded(ofTurns(turns, ({ cpu, sendingSeconds }) => (cpu[name] ?? 0) / sendingSeconds));
  const perConsole = (figure: (turn: Turn) => number) =>
    rounded(ofTurns(turns, (turn) => figure(turn) / turn.openSeconds / opened));
  const isNone = each === 'none';
  // Subtracts the CPU of the turns without consoles: the requests cost the same in every turn.
  const cpuOfNone = ofTurns(none, ({ cpu }) => cpu['api'] ?? 0);
  const moreMs = ofTurns(turns, ({ cpu, sendingSeconds }) => ((cpu['api'] ?? 0) - cpuOfNone) * (1000 / sendingSeconds));
  const moreMiB = ofTurns(turns, ({ apiMiB }) => apiMiB) - ofTurns(none, ({ apiMiB }) => apiMiB);
  return {
    consoles: each,
    'API, share of a core': shareOf('api'),
    'API CPU ms per console and second': isNone ? null : rounded(moreMs / opened),
    'Postgres, share of a core': shareOf('postgres'),
    'readers, share of a core': shareOf('reader'),
    'API MiB': rounded(ofTurns(turns, ({ apiMiB }) => apiMiB)),
    'KiB per console': isNone ? null : rounded((moreMiB * 1024) / opened),
    'events/s per console': perConsole(({ received }) => received.events),
    'KiB/s per console': perConsole(({ received }) => received.bytes / 1024),
    'asked/s, all': rounded(ofTurns(turns, ({ received, openSeconds }) => received.answers / openSeconds)),
  };
}
