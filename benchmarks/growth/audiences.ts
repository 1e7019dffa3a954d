import { setTimeout as wait } from 'node:timers/promises';
import { runToEnd, usersPerBatch } from '../campaign-times.ts';
import { startCpuMeter } from '../cpu.ts';
import { processesOf, startInstallation } from '../installation.ts';
import { median, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import { startMemorySampler, type Memory } from './memory-sampler.ts';
import { shortened, startStatementMeter, type StatementCost } from './statements.ts';

/**
 * Runs campaigns of growing size through the same processes, and checks that batches, periodic queries and memory do
 * not cost more in a larger campaign.
 */
const country = 'SG';
const inFlight = 200;
const statementsDisplayed = 10;
/**
 * Log records per batch. Statements that write fewer belong to a periodic query or a sweep, not to the batch itself.
 */
const maxWalRecordsOfPoll = 0.1;
/** Pause in which the garbage collector and the database can free memory. */
const restMs = 5000;

interface Measured {
  rate: number;
  cpu: Record<string, number>;
  memory: Record<string, Memory>;
  statements: readonly StatementCost[];
}

export async function measureAudiences(
  { infrastructure, stub }: Servers,
  sizes: readonly number[],
  rounds: number,
): Promise<Table[]> {
  const type = { url: `${stub.url}/batches/full/0`, answerForm: 'full' as const, concurrency: inFlight / 2 };
  const installation = await startInstallation({
    infrastructure,
    countries: [country],
    partitionsPerShard: 6,
    segmentationUrl: stub.url,
    actionTypes: { 'award-reward': type, 'send-message': type },
    workerSlots: [inFlight],
  });
  const processes = processesOf(installation, infrastructure);
  const campaignOf = (users: number) => {
    const chain = [{ action: 'award-reward' }, { action: 'send-message' }];
    return { name: `${users} users`, countries: [country], segment: String(users), chain };
  };
  const meter = await startStatementMeter(installation.databaseUrl);
  try {
    // Processes grow with the time that they have worked. The warm-up has the largest size, so that later sizes differ
    // by nothing else.
    const warmUpUsers = Math.max(...sizes);
    await runToEnd(installation, stub, campaignOf(warmUpUsers), warmUpUsers);
    const measured = new Map(sizes.map((users) => [users, new Array<Measured>()]));
    for (let round = 1; round <= rounds; round++) {
      for (const users of sizes) {
        await meter.reset();
        const readMemory = startMemorySampler(processes);
        const readCpu = startCpuMeter(processes);
        const seconds = await runToEnd(installation, stub, campaignOf(users), users);
        const batches = users / usersPerBatch;
        const cpu = Object.entries(readCpu()).map(([name, micros]) => [name, micros / batches] as const);
        const statements = await meter.read();
        await wait(restMs);
        const one = { rate: batches / seconds, cpu: Object.fromEntries(cpu), memory: readMemory(), statements };
        measured.get(users)?.push(one);
        console.error(
          `round ${round} of ${rounds}: ${users.toLocaleString('en')} users, ${rounded(one.rate)} batches/s`,
        );
      }
    }
    return [
      { title: 'Rate, and CPU µs per batch', rows: rateRows(measured) },
      { title: 'Memory, peak → end in MiB', rows: memoryRows(measured) },
      { title: 'Looks and sweeps: mean ms of a call, the dearest first', rows: statementRows(measured) },
    ];
  } finally {
    await meter.close();
    await installation.stop();
  }
}

type BySize = ReadonlyMap<number, readonly Measured[]>;

function rateRows(measured: BySize): Row[] {
  const [smallest = []] = measured.values();
  const ratesOf = (rounds: readonly Measured[]) => rounds.map(({ rate }) => rate);
  return [...measured].map(([users, rounds]) => {
    const names = Object.keys(rounds[0]?.cpu ?? {});
    const micros = names.map((name) => [name, Math.round(median(rounds.map(({ cpu }) => cpu[name] ?? 0)))] as const);
    const looksMs = rounds.map(({ statements }) =>
      pollsOf(statements, users).reduce((sum, { totalMs }) => sum + totalMs, 0),
    );
    return {
      users,
      'batches/s': rounded(median(ratesOf(rounds))),
      'to the smallest': rounded(ratioByRound(ratesOf(rounds), ratesOf(smallest))),
      ...Object.fromEntries(micros),
      'looks and sweeps': Math.round((median(looksMs) * 1000 * usersPerBatch) / users),
    };
  });
}

function memoryRows(measured: BySize): Row[] {
  const [smallest = []] = measured.values();
  const names = Object.keys(smallest[0]?.memory ?? {});
  const peaks = (rounds: readonly Measured[], name: string) => rounds.map(({ memory }) => memory[name]?.peakMiB ?? 0);
  return names.map((name) => {
    const sizes = [...measured].map(([users, rounds]) => {
      const end = median(rounds.map(({ memory }) => memory[name]?.endMiB ?? 0));
      const text = `${Math.round(median(peaks(rounds, name)))} → ${Math.round(end)}`;
      return [`${users.toLocaleString('en')} users`, text] as const;
    });
    const largest = [...measured.values()].at(-1) ?? [];
    return {
      process: name,
      ...Object.fromEntries(sizes),
      'peak, largest to smallest': rounded(ratioByRound(peaks(largest, name), peaks(smallest, name))),
    };
  });
}

function pollsOf(statements: readonly StatementCost[], users: number): StatementCost[] {
  const most = (users / usersPerBatch) * maxWalRecordsOfPoll;
  return statements.filter(({ walRecords, text }) => walRecords < most && /^\s*(select|with|update)/i.test(text));
}

/**
 * Lists statements in descending order of their mean time at the largest audience. A statement that did not run at a
 * size has no figure for that size.
 */
function statementRows(measured: BySize): Row[] {
  const [largestUsers = 0, largest = []] = [...measured].at(-1) ?? [];
  const last = largest.at(-1)?.statements ?? [];
  const dearest = pollsOf(last, largestUsers).toSorted((a, b) => b.meanMs - a.meanMs);
  return dearest.slice(0, statementsDisplayed).map(({ id, text, calls, maxMs }) => {
    const means = [...measured].map(([users, rounds]) => {
      const seen = rounds.flatMap(({ statements }) => statements.filter((statement) => statement.id === id));
      const mean = seen.length === 0 ? null : rounded(median(seen.map(({ meanMs }) => meanMs)));
      return [`${users.toLocaleString('en')} users`, mean] as const;
    });
    return { statement: `\`${shortened(text)}\``, ...Object.fromEntries(means), 'largest, ms': rounded(maxMs), calls };
  });
}
