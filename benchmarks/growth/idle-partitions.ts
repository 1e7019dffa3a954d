import { setTimeout as wait } from 'node:timers/promises';
import { cpuSecondsOf, residentMiB } from '../cpu.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { median, rounded, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';

/**
 * What does a worker cost that has nothing to do, by the partitions that it watches? Both stand idle at once and are
 * looked at in turn.
 */
const settleMs = 15_000;
const windowMs = 10_000;
const letters = 'ABCDE';
const slots = 200;

const shapes = [
  { name: '36 (6 topics × 6)', countries: 3, partitionsPerShard: 6 },
  { name: '1,000 (50 topics × 20)', countries: 25, partitionsPerShard: 20 },
];

interface Look {
  /** Of one core. */
  share: number;
  residentMiB: number;
}

export async function measureIdlePartitions({ infrastructure, stub }: Servers, rounds: number): Promise<Table> {
  const type = { url: `${stub.url}/batches/full/0`, answerForm: 'full' as const, concurrency: slots };
  const installations: { name: string; installation: Installation; looks: Look[] }[] = [];
  try {
    for (const { name, countries, partitionsPerShard } of shapes) {
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
        looks.push(await lookAt(installation.services.pids('worker')[0] ?? 0));
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

async function lookAt(pid: number): Promise<Look> {
  const before = cpuSecondsOf(pid);
  await wait(windowMs);
  return { share: (cpuSecondsOf(pid) - before) / (windowMs / 1000), residentMiB: residentMiB(pid) };
}

/** AA, AB, … EE: codes that no country needs to have. */
function codeOf(index: number): string {
  const [first = '', second = ''] = [letters[Math.floor(index / letters.length)], letters[index % letters.length]];
  return first + second;
}
