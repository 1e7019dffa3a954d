import { setTimeout as wait } from 'node:timers/promises';
import { cpuSecondsOf, residentMiB } from '../cpu.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { median, rounded, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';

/**
 * Measures the cost of an idle worker with few and with many partitions. Both workers are idle at the same time and are
 * measured in turn.
 */
const settleMs = 15_000;
const windowMs = 10_000;
const letters = 'ABCDE';
const slots = 200;

const partitionCounts = [
  { name: '36 (6 topics × 6)', countries: 3, partitionsPerShard: 6 },
  { name: '1,000 (50 topics × 20)', countries: 25, partitionsPerShard: 20 },
];

interface Look {
  /** CPU as a share of one core. */
  share: number;
  residentMiB: number;
}

export async function measureIdlePartitions({ infrastructure, stub }: Servers, rounds: number): Promise<Table> {
  const type = { url: `${stub.url}/batches/full/0`, answerForm: 'full' as const, concurrency: slots };
  const installations: { name: string; installation: Installation; looks: Look[] }[] = [];
  try {
    for (const { name, countries, partitionsPerShard } of partitionCounts) {
      const installation = await startInstallation({
        infrastructure,
        countries: Array.from({ length: countries }, (_, index) => codeOf(index)),
        partitionsPerShard,
        segmentationUrl: stub.url,
        actionTypes: { 'award-reward': type, 'send-message': type },
        workerSlots: [slots],
      });
      installations.push({ name, installation, looks: [] });
    }
    await wait(settleMs);
    for (let round = 1; round <= rounds; round++) {
      for (const { installation, looks } of installations)
        looks.push(await sampleProcess(installation.services.pids('worker')[0] ?? 0));
    }
    const rows = installations.map(({ name, looks }) => ({
      partitions: name,
      "worker's CPU, % of a core": rounded(median(looks.map(({ share }) => share * 100))),
      'resident MiB': Math.round(median(looks.map((look) => look.residentMiB))),
    }));
    return { title: 'An idle worker', rows };
  } finally {
    await Promise.all(installations.map(({ installation }) => installation.stop()));
  }
}

async function sampleProcess(pid: number): Promise<Look> {
  const before = cpuSecondsOf(pid);
  await wait(windowMs);
  return { share: (cpuSecondsOf(pid) - before) / (windowMs / 1000), residentMiB: residentMiB(pid) };
}

/** Returns a country code from AA to EE. The codes need not belong to real countries. */
function codeOf(index: number): string {
  const [first = '', second = ''] = [letters[Math.floor(index / letters.length)], letters[index % letters.length]];
  return first + second;
}
