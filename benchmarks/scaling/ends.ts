import { setTimeout as wait } from 'node:timers/promises';
import { runToEnd } from '../campaign-times.ts';
import type { ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { median, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';

/**
 * Measures if one more worker can make a campaign slower. Campaigns of one step with calls of 200 ms run from the first
 * call to the last answer. Three cases are compared: one worker alone; a second worker with a tenth of its slots; and
 * an equal second worker that is frozen soon after the start.
 */
const latencyMs = 200;
const slots = 40;
const smallSlots = 4;
const freezeAfterMs = 500;
const frozenMs = 8000;
/** Time for Kafka's consumer group to rebalance. */
const settleMs = 5000;
const country = 'SG';
const warmUpUsers = 40_000;
const sizes = [10_000, 80_000, 300_000];
const quickSizes = [10_000, 80_000];

interface WorkerSetup {
  name: string;
  /** Slots of the second worker; null if the first worker runs alone. */
  second: number | null;
  freezes: boolean;
}

const oneWorker: WorkerSetup = { name: `one worker of ${slots} slots`, second: null, freezes: false };
const workerSetups: readonly WorkerSetup[] = [
  oneWorker,
  { name: `and one of ${smallSlots}`, second: smallSlots, freezes: false },
  { name: `and one of ${slots}, frozen for ${frozenMs / 1000} s`, second: slots, freezes: true },
];

export async function measureEnds(
  { infrastructure, stub }: Servers,
  { rounds, quick }: { rounds: number; quick: boolean },
): Promise<Table[]> {
  const type = { url: `${stub.url}/batches/full/${latencyMs}`, answerForm: 'full' as const, concurrency: slots };
  const installation = await startInstallation({
    infrastructure,
    countries: [country],
    partitionsPerShard: 6,
    segmentationUrl: stub.url,
    actionTypes: { 'award-reward': type },
    workerSlots: [slots],
  });
  const requested = quick ? quickSizes : sizes;
  const seconds = new Map(
    workerSetups.map((crew) => [crew, new Map(requested.map((users) => [users, new Array<number>()]))]),
  );
  const campaign = (users: number) => ({
    name: 'ends',
    countries: [country],
    segment: String(users),
    chain: [{ action: 'award-reward' }],
  });
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const [crew, bySize] of seconds) {
        const second = crew.second === null ? null : await installation.startWorker(crew.second);
        await wait(settleMs);
        await runToEnd(installation, stub, campaign(warmUpUsers), warmUpUsers);
        for (const [users, measured] of bySize) {
          const thawed = second && crew.freezes ? freeze(second) : Promise.resolve();
          measured.push(await runToEnd(installation, stub, campaign(users), users));
          await thawed;
          if (crew.freezes) await wait(settleMs);
          console.error(`round ${round} of ${rounds}, ${crew.name}, ${users} users: ${measured.at(-1)} s`);
        }
        await stopWorker(installation, second);
      }
    }
  } finally {
    await installation.stop();
  }
  return requested.map((users) => ({
    title: `A campaign of ${users.toLocaleString('en')} users to its end, ${latencyMs} ms a call`,
    rows: workerSetups.map((crew) =>
      rowOf(crew, seconds.get(crew)?.get(users) ?? [], seconds.get(oneWorker)?.get(users) ?? []),
    ),
  }));
}

async function freeze(worker: ServiceProcess): Promise<void> {
  await wait(freezeAfterMs);
  process.kill(worker.pid, 'SIGSTOP');
  await wait(frozenMs);
  process.kill(worker.pid, 'SIGCONT');
}

async function stopWorker(installation: Installation, worker: ServiceProcess | null): Promise<void> {
  if (worker) await installation.endWorker(worker);
}

function rowOf({ name }: WorkerSetup, seconds: readonly number[], base: readonly number[]): Row {
  return { workers: name, seconds: rounded(median(seconds)), 'to one alone': rounded(ratioByRound(seconds, base)) };
}
