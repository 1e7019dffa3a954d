import { get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { withConsole, type ConsoleUnderTest } from '../console/console-under-test.ts';
import { writeFailedRun } from '../console/failed-run.ts';
import { startCpuMeter } from '../cpu.ts';
import { startMemorySampler } from '../growth/memory-sampler.ts';
import { percentile, publishTables, rounded, type Row, type Table } from '../results.ts';

/**
 * Measures the time and cost of a run's report and exports as the run grows. SQL writes its rows in the form that the
 * engine leaves: two steps, one user of ten failed in the first one. One reader reads each export to its end, as fast
 * as the API sends it. Meanwhile another client requests the run's progress repeatedly.
 */
const question = 'Report and exports of a run, by its users';
const failedShare = 10;
const reportLooks = 20;
const betweenProgressMs = 50;

const exports = {
  'everybody, NDJSON': 'users?format=ndjson',
  'everybody, CSV': 'users?format=csv',
  'failures, NDJSON': 'failures?format=ndjson',
} as const;

export async function benchmarkExports({ quick }: { quick: boolean }): Promise<void> {
  const tables: Table[] = [];
  for (const users of quick ? [100_000] : [100_000, 1_000_000, 10_000_000]) {
    tables.push(...(await withConsole((muster) => measure(muster, users))));
  }
  const rowsOf = (title: string) => tables.filter((table) => table.title === title).flatMap(({ rows }) => rows);
  publishTables(
    'exports',
    question,
    [...new Set(tables.map(({ title }) => title))].map((title) => ({ title, rows: rowsOf(title) })),
  );
}

async function measure(muster: ConsoleUnderTest, users: number): Promise<Table[]> {
  const { runId } = await writeFailedRun(muster.pool, users / failedShare);
  console.error(`${users.toLocaleString('en')} users: written`);
  const alone = await measureProgress(muster, runId, () => wait(3000));
  const reports: number[] = [];
  for (let look = 0; look < reportLooks; look++) {
    const { firstByteMs } = await readWhole(muster, `/v1/runs/${runId}/report`);
    reports.push(firstByteMs);
  }
  const report = {
    users,
    'first byte, first time, ms': rounded(reports[0] ?? Number.NaN),
    'p50 ms': rounded(percentile(reports, 0.5)),
    'p99 ms': rounded(percentile(reports, 0.99)),
  };
  const rows: Row[] = [];
  for (const [name, path] of Object.entries(exports)) {
    rows.push(await measureExport(muster, { runId, users, name, path, aloneP99: alone }));
    console.error(`${users.toLocaleString('en')} users: ${name} done`);
  }
  return [
    { title: 'The report', rows: [report] },
    { title: 'Exports, read whole by one reader', rows },
  ];
}

interface Requested {
  runId: string;
  users: number;
  name: string;
  path: string;
  /** 99th percentile of progress requests without an export, in milliseconds. */
  aloneP99: number;
}

async function measureExport(
  muster: ConsoleUnderTest,
  { runId, users, name, path, aloneP99 }: Requested,
): Promise<Row> {
  const readMemory = startMemorySampler(muster.processes);
  const readCpu = startCpuMeter(muster.processes);
  let read: Read | undefined;
  const beganMs = performance.now();
  const p99DuringExport = await measureProgress(muster, runId, async () => {
    read = await readWhole(muster, `/v1/runs/${runId}/${path}`);
  });
  const seconds = (performance.now() - beganMs) / 1000;
  const cpu = readCpu();
  const memory = readMemory();
  if (!read) throw new Error(`${name}: nothing was read`);
  const { firstByteMs, bytes, lines } = read;
  return {
    users,
    export: name,
    'first byte ms': rounded(firstByteMs),
    rows: lines,
    MiB: rounded(bytes / 1024 / 1024),
    'rows/s': rounded(lines / seconds),
    'API CPU µs a row': rounded((cpu['api'] ?? 0) / lines),
    'Postgres CPU µs a row': rounded((cpu['postgres'] ?? 0) / lines),
    'API MiB, peak': rounded(memory['api']?.peakMiB ?? Number.NaN),
    'progress p99 ms, alone': rounded(aloneP99),
    'beside it': rounded(p99DuringExport),
  };
}

/** @returns 99th percentile of progress requests in milliseconds, sent one at a time until `work` has finished */
async function measureProgress(muster: ConsoleUnderTest, runId: string, work: () => Promise<unknown>): Promise<number> {
  const tookMs: number[] = [];
  const over = new AbortController();
  const isOver = () => over.signal.aborted;
  const asking = (async () => {
    while (!isOver()) {
      const beganMs = performance.now();
      await readWhole(muster, `/v1/runs/${runId}/progress`);
      tookMs.push(performance.now() - beganMs);
      await wait(betweenProgressMs);
    }
  })();
  try {
    await work();
  } finally {
    over.abort();
    await asking;
  }
  return percentile(tookMs, 0.99);
}

interface Read {
  firstByteMs: number;
  bytes: number;
  lines: number;
}

const newline = 10;

async function readWhole({ url, apiKey }: ConsoleUnderTest, path: string): Promise<Read> {
  const beganMs = performance.now();
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}${path}`, { headers }, resolve).on('error', reject);
  });
  if (answer.statusCode !== 200) throw new Error(`${path}: ${String(answer.statusCode)}`);
  const read: Read = { firstByteMs: Number.NaN, bytes: 0, lines: 0 };
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (read.bytes === 0) read.firstByteMs = performance.now() - beganMs;
    read.bytes += chunk.length;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) read.lines += 1;
  }
  return read;
}
