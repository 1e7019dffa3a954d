import { startPostgresAlone } from '../postgres-alone.ts';
import { publishTables, rounded, type Table } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { startStub, type Stub } from '../stub/stub.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { choosePeers } from './chosen-peers.ts';
import type { Contestant, MeasuredTurn } from './contestant.ts';
import { checkCrashes } from './equal/crash.ts';
import { bestRows, equalRows, overviewRows } from './equal-report.ts';
import { equalTargetRows, guardEqual } from './equal-targets.ts';
import { openContestants } from './open-contestants.ts';
import { requirePeers } from './load-peer.ts';
import { requireRedis } from './redis-server.ts';
import { only, rowsOf, targetRows, type Measured } from './report.ts';

/**
 * Measures the cost of the chain of two steps beside likely alternatives. Peers at equal promises commit each step's
 * outcome rows before the next step begins. The others hold both steps in one job, which is done before its outcome row
 * is written. All use the same endpoints, HTTP client, parsers of answers and number of concurrent calls, and one
 * worker process. They take turns on the same servers, and the order changes from round to round.
 */
const question = 'Batches of 100 users per second through a chain of two steps, beside queues and durable workflows';
const inFlight = 100;
const contests = [
  { latencyMs: 0, batches: 20_000 },
  { latencyMs: 5, batches: 20_000 },
  { latencyMs: 20, batches: 15_000 },
  { latencyMs: 50, batches: 6000 },
] as const;
const quickShare = 5;
/**
 * Batches of the warm-up: a broker costs several times as much in its first minute, and V8 needs some ten thousand
 * batches to settle.
 */
const warmUpBatches = 20_000;
const crashBatches = 3000;

export interface PeersOptions {
  rounds: number;
  quick: boolean;
  /** `equal`, `unequal`, or the name of the only peer to run; undefined runs all. */
  only: string | undefined;
  /** True to fail if a ratio at equal promises is worse than the accepted one. */
  isGuarded: boolean;
}

/** @throws {GuardFailed} after the tables are published */
export async function benchmarkPeers({ rounds, quick, only, isGuarded }: PeersOptions): Promise<void> {
  const chosen = choosePeers(only);
  requirePeers();
  const redisCommand = requireRedis(process.env);
  await withServers(databaseSettings, async (servers) => {
    const latencies = contests.map(({ latencyMs }) => latencyMs);
    const field = await openContestants(servers, { redisCommand, chosen, latencies, inFlight });
    try {
      const share = quick ? quickShare : 1;
      await warmUp(field.contestants, servers, share);
      const measured: Measured[] = [];
      for (const { latencyMs, batches } of contests) {
        const turns = await compete(field.contestants, servers.stub, rounds, { latencyMs, batches: batches / share });
        measured.push({ latencyMs, turns });
      }
      const name = chosen.part === undefined ? 'peers' : `peers-${chosen.part}`;
      publishTables(name, question, tablesOf(field.contestants, measured));
      if (isGuarded) guardEqual(turnsOf(field.contestants, measured, 'kept'));
    } finally {
      await field.close();
    }
  });
}

/** Kills the worker of each peer at equal promises in the middle of its work, and checks what is stored afterwards. */
export async function crashPeers({ quick, only }: Pick<PeersOptions, 'quick' | 'only'>): Promise<void> {
  const { equal } = choosePeers(only);
  requirePeers();
  const redisCommand = requireRedis(process.env);
  const postgres = await startPostgresAlone(databaseSettings);
  try {
    const stub = await startStub();
    try {
      const batches = quick ? crashBatches / quickShare : crashBatches;
      await checkCrashes({ serverUrl: postgres.databaseUrl, stub, redisCommand, systems: equal, batches, inFlight });
    } finally {
      await stub.stop();
    }
  } finally {
    await postgres.stop();
  }
}

function tablesOf(contestants: readonly Contestant[], measured: readonly Measured[]): Table[] {
  const equal = turnsOf(contestants, measured, 'kept');
  const unequal = turnsOf(contestants, measured, 'none');
  const titleOf = ({ latencyMs }: Measured) => `endpoints of ${latencyMs} ms, ${inFlight} calls in flight`;
  const tables: Table[] = [];
  if (contestants.some(({ promise }) => promise === 'kept')) {
    tables.push({ title: 'At equal promises: batches/s (CPU µs per batch; Postgres µs)', rows: overviewRows(equal) });
    tables.push({ title: 'Muster ÷ the best peer: median (rounds)', rows: bestRows(equal) });
    tables.push({ title: 'Targets at equal promises', rows: equalTargetRows(equal) });
    tables.push(...equal.map((one) => ({ title: `At equal promises, ${titleOf(one)}`, rows: equalRows(one) })));
  }
  if (contestants.some(({ promise }) => promise === 'none')) {
    const heading = 'What a queue without the promise does';
    tables.push(...unequal.map((one) => ({ title: `${heading}, ${titleOf(one)}`, rows: rowsOf(one) })));
  }
  return [...tables, { title: 'Targets', rows: targetRows(measured) }];
}

/** Returns the turns of the contestants with this promise, and of those that are compared with all others. */
function turnsOf(
  contestants: readonly Contestant[],
  measured: readonly Measured[],
  promise: Contestant['promise'],
): Measured[] {
  const names = contestants.filter((one) => one.promise === 'any' || one.promise === promise).map(({ name }) => name);
  return measured.map((one) => only(one, names));
}

async function warmUp(contestants: readonly Contestant[], servers: Servers, share: number): Promise<void> {
  console.error('warming up: database');
  await warmDatabase(servers.infrastructure.databaseUrl);
  for (const [index, { latencyMs }] of contests.entries()) {
    const batches = warmUpBatches / share / (index === 0 ? 1 : 10);
    for (const contestant of contestants) {
      console.error(`warming up: ${contestant.name}, ${latencyMs} ms`);
      await contestant.takeTurn(latencyMs, batches);
    }
  }
}

async function compete(
  contestants: readonly Contestant[],
  stub: Stub,
  rounds: number,
  { latencyMs, batches }: { latencyMs: number; batches: number },
): Promise<Map<string, MeasuredTurn[]>> {
  const turns = new Map(contestants.map(({ name }) => [name, new Array<MeasuredTurn>()]));
  for (let round = 1; round <= rounds; round++) {
    const first = (round - 1) % contestants.length;
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      await stub.takeMostAtOnce();
      const turn = await contestant.takeTurn(latencyMs, batches);
      turns.get(contestant.name)?.push({ ...turn, callsAtOnce: await stub.takeMostAtOnce() });
      console.error(`${latencyMs} ms, round ${round} of ${rounds}: ${contestant.name} ${rounded(turn.rate)} batches/s`);
    }
  }
  return turns;
}
