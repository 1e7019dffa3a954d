import { setTimeout as wait } from 'node:timers/promises';
import { runToEnd, usersPerBatch } from '../campaign-times.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { median, percentile, publishTables, ratioByRound, rounded, type Row } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { machineClockMs } from '../stub/call-log.ts';
import type { Stub } from '../stub/stub.ts';
import { databaseSettings } from '../warm-database.ts';
import { crowdRow, crowds, crowdTitle, measureCrowd, type CrowdRound } from './callbacks.ts';
import { situations, type Situation } from './situations.ts';

/**
 * Measures how faults of other campaigns affect a campaign, the neighbour. Each round has a new installation, because
 * faults have lasting effects. A round has three phases: a warm-up, the neighbour alone, and the neighbour beside the
 * fault. Times run from the request to start until the endpoints have answered.
 */
const question = "A campaign's time beside a fault, and its time alone in the same installation";
const warmUpUsers = 100_000;
const pollMs = 50;
/** Longest time to wait for the neighbour. */
const patienceMs = 60_000;
const quickPatienceMs = 40_000;
const workerSlots = 40;

/**
 * Repetitions of a neighbour that finishes quickly: a single measurement of a second would depend on the phase of
 * timers that tick several times a second.
 */
const repeats = 4;

interface BatchDurations {
  /**
   * Time at which each batch had passed its last step, in ms from the start of its campaign. A batch that did not pass
   * in time counts with the longest time to wait.
   */
  batchMs: number[];
  /** Time at which all batches had passed, in ms: the median over the repetitions. */
  allMs: number;
  left: number;
}

interface Round {
  alone: BatchDurations;
  beside: BatchDurations;
}

export interface NeighboursOptions {
  rounds: number;
  quick: boolean;
  only: string | undefined;
}

export async function benchmarkNeighbours({ rounds, quick, only }: NeighboursOptions): Promise<void> {
  const isRequested = ({ name }: { name: string }) => only === undefined || name === only;
  const [requested, requestedCrowds] = [situations.filter(isRequested), crowds.filter(isRequested)];
  if (requested.length + requestedCrowds.length === 0) {
    const names = [...situations, ...crowds].map(({ name }) => name).join(', ');
    throw new Error(`--only ${String(only)}: one of ${names}`);
  }
  await withServers(databaseSettings, async (servers) => {
    const results = new Map(requested.map((situation) => [situation, new Array<Round>()]));
    const crowdRounds = new Map(requestedCrowds.map((crowd) => [crowd, new Array<CrowdRound>()]));
    for (let round = 1; round <= rounds; round++) {
      for (const [situation, measured] of results) {
        measured.push(await measure(situation, servers, quick ? quickPatienceMs : patienceMs));
        const { alone, beside } = measured.at(-1) ?? { alone: undefined, beside: undefined };
        console.error(
          `round ${round}, ${situation.name}: alone ${formatDurations(alone)}, beside ${formatDurations(beside)}`,
        );
      }
      for (const [crowd, measured] of crowdRounds) {
        measured.push(await measureCrowd(crowd, servers));
        console.error(`round ${round}, ${crowd.name}: ${JSON.stringify(crowdRow(crowd, measured.slice(-1)))}`);
      }
    }
    const rows = [...results].map(([{ title }, measured]) => rowOf(title, measured));
    const crowdRows = [...crowdRounds].map(([crowd, measured]) => crowdRow(crowd, measured));
    const tables = [
      { title: 'Neighbours', rows },
      { title: crowdTitle, rows: crowdRows },
    ].filter((table) => table.rows.length > 0);
    publishTables(only === undefined ? 'neighbours' : `neighbours-${only}`, question, tables);
  });
}

async function measure(situation: Situation, { infrastructure, stub }: Servers, patience: number): Promise<Round> {
  const { countries, partitionsPerShard, actionTypes, neighbour, others, leadMs, othersOutlast } = situation;
  const installation = await startInstallation({
    infrastructure,
    countries,
    partitionsPerShard,
    segmentationUrl: stub.url,
    actionTypes: actionTypes(stub.url),
    workerSlots: [workerSlots],
  });
  try {
    const warmUp = { ...neighbour, segment: String(warmUpUsers) };
    await runToEnd(installation, stub, warmUp, warmUpUsers);
    const alone = await passagesOf(situation, installation, stub, patience);
    const ids = await Promise.all(others.map((other) => installation.api.start(other)));
    await wait(leadMs);
    const beside = await passagesOf(situation, installation, stub, patience);
    const runs = await Promise.all(ids.map((id) => installation.api.run(id)));
    if (othersOutlast && runs.some((run) => run?.endedAt))
      throw new Error(`${situation.name}: the others ended too soon`);
    return { alone, beside };
  } finally {
    await installation.stop();
  }
}

async function passagesOf(
  situation: Situation,
  installation: Installation,
  stub: Stub,
  patience: number,
): Promise<BatchDurations> {
  const passages: number[][] = [];
  let left = 0;
  while (passages.length < repeats && left === 0) {
    const answers = await measureBatchDurations(situation, installation, stub, patience);
    left = situation.neighbourUsers / usersPerBatch - answers.length;
    passages.push([...answers, ...Array.from({ length: left }, () => patience)]);
  }
  return { batchMs: passages.flat(), allMs: median(passages.map((passage) => Math.max(...passage))), left };
}

/** Returns the milliseconds from the campaign's start to the last answer, for each batch that passed in time. */
async function measureBatchDurations(
  { neighbour, neighbourUsers }: Situation,
  { api }: Installation,
  stub: Stub,
  patience: number,
): Promise<number[]> {
  const startedAt = machineClockMs();
  const campaignId = await api.start(neighbour);
  const batches = neighbourUsers / usersPerBatch;
  for (;;) {
    const answers = await stub.answers(campaignId, neighbour.chain.length);
    if (answers.length >= batches || machineClockMs() - startedAt > patience) {
      return answers.slice(0, batches).map((answeredAt) => answeredAt - startedAt);
    }
    await wait(pollMs);
  }
}

function rowOf(title: string, rounds: readonly Round[]): Row {
  const seconds = (side: 'alone' | 'beside', share: number) =>
    rounds.map((round) => percentile(round[side].batchMs, share) / 1000);
  const both = (share: number) => [seconds('alone', share), seconds('beside', share)] as const;
  const [halfAlone, halfWithOthers] = both(0.5);
  const [mostAlone, mostWithOthers] = both(0.99);
  const allAlone = rounds.map(({ alone }) => alone.allMs / 1000);
  const allWithOthers = rounds.map(({ beside }) => beside.allMs / 1000);
  const left = median(rounds.map(({ beside }) => beside.left));
  return {
    'beside it': title,
    'alone, s': rounded(median(allAlone)),
    'beside, s': rounded(median(allWithOthers)),
    ratio: rounded(ratioByRound(allWithOthers, allAlone)),
    'batch p50 alone, s': rounded(median(halfAlone)),
    'p50 beside, s': rounded(median(halfWithOthers)),
    'p50 ratio': rounded(ratioByRound(halfWithOthers, halfAlone)),
    'p99 ratio': rounded(ratioByRound(mostWithOthers, mostAlone)),
    'batches not through': left === 0 ? null : left,
  };
}

function formatDurations(passages: BatchDurations | undefined): string {
  if (!passages) return 'not measured';
  const all = `${rounded(passages.allMs / 1000)} s`;
  return passages.left === 0 ? all : `${passages.left} batches not through after ${all}`;
}
