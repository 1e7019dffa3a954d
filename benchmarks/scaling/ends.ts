import { setTimeout as wait } from 'node:timers/promises';
import { runToEnd } from '../campaign-times.ts';
import type { ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { median, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';

/**
 * Does one worker more ever cost? Campaigns of one step at 200 ms a call, from the first call to the last answer: by
 * one worker alone, beside one of a tenth of its slots, and beside an equal one that is frozen soon after the start.
 */
const latencyMs = 200;
const slots = 40;
const smallSlots = 4;
const freezeAfterMs = 500;
const frozenMs = 8000;
/** Kafka's group has to agree. */
const settleMs = 5000;
const country = 'SG';
const warmUpUsers = 40_000;
const sizes = [10_000, 80_000, 300_000];
const quickSizes = [10_000, 80_000];

interface Crew {
  name: string;
  /** Beside the one worker that always is there. */
  second: number | null;
  freezes: boolean;
}

const alone: Crew = { name: `one worker of ${slots} slots`, second: null, freezes: false };
const crews: readonly Crew[] = [
  alone,
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
  const asked = quick ? quickSizes : sizes;
  const seconds = new Map(crews.map((crew) => [crew, new Map(asked.map((users) => [users, new Array<number>()]))]));
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
        await leave(installation, second);
      }
    }
  } finally {
    await installation.stop();
  }
  return asked.map((users) => ({
    title: `A campaign of ${users.toLocaleString('en')} users to its end, ${latencyMs} ms a call`,
    rows: crews.map((crew) => rowOf(crew, seconds.get(crew)?.get(users) ?? [], seconds.get(alone)?.get(users) ?? [])),
  }));
}

async function freeze(worker: ServiceProcess): Promise<void> {
  await wait(freezeAfterMs);
  process.kill(worker.pid, 'SIGSTOP');
  await wait(frozenMs);
  process.kill(worker.pid, 'SIGCONT');
}

async function leave(installation: Installation, worker: ServiceProcess | null): Promise<void> {
  if (worker) await installation.endWorker(worker);
}

function rowOf({ name }: Crew, seconds: readonly number[], base: readonly number[]): Row {
  return { workers: name, seconds: rounded(median(seconds)), 'to one alone': rounded(ratioByRound(seconds, base)) };
}
