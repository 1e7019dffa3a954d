import { setTimeout as wait } from 'node:timers/promises';
import { startCpuMeter, startForeignLoadMeter, withDescendants } from '../cpu.ts';
import { processesOf, startInstallation, type InstallationOptions } from '../installation.ts';
import { rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import { callsIn, countWindow, type Counted } from './counted-window.ts';
import { statementRows } from './statement-rows.ts';

/** Time after which the work of a start is over: partitions are assigned and old data is removed. */
const settleMs = 20_000;
const windowMs = 30_000;
const letters = 'ABCDE';
const slots = 200;

type InstallationShape = { name: string; countries: number } & Pick<
  Required<InstallationOptions>,
  'extent' | 'partitionsPerShard'
>;

const smallInstallations: readonly InstallationShape[] = [
  { name: '`serve all`, 36 partitions', extent: 'one-process', countries: 3, partitionsPerShard: 6 },
  { name: 'five processes, 36 partitions', extent: 'whole', countries: 3, partitionsPerShard: 6 },
];
const largeInstallation: InstallationShape = {
  name: 'five processes, 1,000 partitions',
  extent: 'whole',
  countries: 25,
  partitionsPerShard: 20,
};

interface IdleFigures {
  shape: InstallationShape;
  /** CPU of each process as a share of one core. */
  shares: Record<string, number>;
  /** Share of all cores that other programs used meanwhile, 0 to 1. */
  foreignLoad: number;
  counted: Counted;
}

export async function measureStanding(servers: Servers, quick: boolean): Promise<Table[]> {
  const measured: IdleFigures[] = [];
  for (const shape of quick ? smallInstallations : [...smallInstallations, largeInstallation]) {
    console.error(shape.name);
    measured.push(await measureIdle(servers, shape));
  }
  const others = Math.round(Math.max(...measured.map(({ foreignLoad }) => foreignLoad)) * 100);
  return [
    {
      title: `Nothing to do: % of a core by process (others took up to ${others} % of all cores)`,
      rows: measured.map(rowOf),
    },
    ...measured.map(({ shape, counted }) => ({
      title: `Statements of ${shape.name}`,
      rows: statementRows(counted, 60),
    })),
  ];
}

async function measureIdle({ infrastructure, stub }: Servers, shape: InstallationShape): Promise<IdleFigures> {
  const type = { url: `${stub.url}/batches/full/0`, answerForm: 'full' as const, concurrency: slots };
  const installation = await startInstallation({
    infrastructure,
    extent: shape.extent,
    countries: Array.from({ length: shape.countries }, (_, index) => codeOf(index)),
    partitionsPerShard: shape.partitionsPerShard,
    segmentationUrl: stub.url,
    actionTypes: { 'award-reward': type, 'send-message': type },
    workerSlots: [slots],
  });
  const processes = {
    all: () => installation.services.pids('all'),
    dispatcher: () => installation.services.pids('dispatcher'),
    ...processesOf(installation, infrastructure),
  };
  try {
    await wait(settleMs);
    const readForeign = startForeignLoadMeter(() => withDescendants(process.pid));
    const startedAt = performance.now();
    const readCpu = startCpuMeter(processes);
    const counted = await countWindow(installation.databaseUrl, windowMs);
    const micros = readCpu();
    const passedMicros = (performance.now() - startedAt) * 1000;
    installation.services.requireRunning();
    const shares = Object.fromEntries(Object.entries(micros).map(([name, used]) => [name, used / passedMicros]));
    return { shape, shares, foreignLoad: readForeign(), counted };
  } finally {
    await installation.stop();
  }
}

const columns = ['all', 'api', 'scheduler', 'trigger', 'worker', 'dispatcher', 'postgres', 'kafka'] as const;

function rowOf({ shape, shares, counted }: IdleFigures): Row {
  const percent = (share: number) => rounded(share * 100);
  const runs = (name: (typeof columns)[number]) =>
    name === 'postgres' || name === 'kafka' || (name === 'all') === (shape.extent === 'one-process');
  return {
    installation: shape.name,
    ...Object.fromEntries(columns.map((name) => [name, runs(name) ? percent(shares[name] ?? 0) : null])),
    together: percent(columns.reduce((sum, name) => sum + (shares[name] ?? 0), 0)),
    'statements/s': rounded(callsIn(counted) / counted.seconds),
    'commits/s': rounded(counted.commits / counted.seconds),
    'log, bytes/s': rounded(counted.logBytes / counted.seconds),
  };
}

/** Returns a country code from AA to EE. The codes need not belong to real countries. */
function codeOf(index: number): string {
  const [first = '', second = ''] = [letters[Math.floor(index / letters.length)], letters[index % letters.length]];
  return first + second;
}
