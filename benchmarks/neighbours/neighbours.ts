import { setTimeout as wait } from 'node:timers/promises';
import { runToEnd, usersPerBatch } from '../campaign-times.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { median, percentile, publishTables, ratioByRound, rounded, type Row } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { machineMs } from '../stub/call-log.ts';
import type { Stub } from '../stub/stub.ts';
import { databaseSettings } from '../warm-database.ts';
import { crowdRow, crowds, crowdTitle, measureCrowd, type CrowdRound } from './callbacks.ts';
import { situations, type Situation } from './situations.ts';

/**
 * What does a campaign notice of what goes wrong beside it? In each round an installation of its own, since faults
 * leave things behind: a warm-up, the neighbour alone, then the neighbour beside the fault. Times run from the request
 * to start until the endpoints answered.
 */
const question = "A campaign's time beside a fault, and its time alone in the same installation";
const warmUpUsers = 100_000;
const pollMs = 50;
/** How much longer than this the neighbour would have waited is not looked at. */
const patienceMs = 60_000;
const quickPatienceMs = 40_000;
const workerSlots = 40;

/** A neighbour that passes at once is sent so often: a second says little about ticks of parts of a second. */
const repeats = 4;

interface Passages {
  /**
   * When each batch was through its last step, in ms from the start of its campaign; one that was not by the end of
   * patience counts as that.
   */
  batchMs: number[];
  /** When all were: the median over the repeats. */
  allMs: number;
  left: number;
}

interface Round {
  alone: Passages;
  beside: Passages;
}

export interface NeighboursOptions {
  rounds: number;
  quick: boolean;
  only: string | undefined;
}

export async function benchmarkNeighbours({ rounds, quick, only }: NeighboursOptions): Promise<void> {
  const isAsked = ({ name }: { name: string }) => only === undefined || name === only;
  const [asked, askedCrowds] = [situations.filter(isAsked), crowds.filter(isAsked)];
  if (asked.length + askedCrowds.length === 0) {
    const names = [...situations, ...crowds].map(({ name }) => name).join(', ');
    throw new Error(`--only ${String(only)}: one of ${names}`);
  }
  await withServers(databaseSettings, async (servers) => {
    const results = new Map(asked.map((situation) => [situation, new Array<Round>()]));
    const crowdRounds = new Map(askedCrowds.map((crowd) => [crowd, new Array<CrowdRound>()]));
    for (let round = 1; round <= rounds; round++) {
      for (const [situation, measured] of results) {
        measured.push(await measure(situation, servers, quick ? quickPatienceMs : patienceMs));
        const { alone, beside } = measured.at(-1) ?? { alone: undefined, beside: undefined };
        console.error(`round ${round}, ${situation.name}: alone ${said(alone)}, beside ${said(beside)}`);
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
): Promise<Passages> {
  const passages: number[][] = [];
  let left = 0;
  while (passages.length < repeats && left === 0) {
    const answers = await passageOf(situation, installation, stub, patience);
    left = situation.neighbourUsers / usersPerBatch - answers.length;
    passages.push([...answers, ...Array.from({ length: left }, () => patience)]);
  }
  return { batchMs: passages.flat(), allMs: median(passages.map((passage) => Math.max(...passage))), left };
}

/** Milliseconds from the campaign's start to the last answer of each batch that was through in time. */
async function passageOf(
  { neighbour, neighbourUsers }: Situation,
  { api }: Installation,
  stub: Stub,
  patience: number,
): Promise<number[]> {
  const startedAt = machineMs();
  const campaignId = await api.start(neighbour);
  const batches = neighbourUsers / usersPerBatch;
  for (;;) {
    const answers = await stub.answers(campaignId, neighbour.chain.length);
    if (answers.length >= batches || machineMs() - startedAt > patience) {
      return answers.slice(0, batches).map((answeredAt) => answeredAt - startedAt);
    }
    await wait(pollMs);
  }
}

function rowOf(title: string, rounds: readonly Round[]): Row {
  const seconds = (side: 'alone' | 'beside', share: number) =>
    rounds.map((round) => percentile(round[side].batchMs, share) / 1000);
  const both = (share: number) => [seconds('alone', share), seconds('beside', share)] as const;
  const [halfAlone, halfBeside] = both(0.5);
  const [mostAlone, mostBeside] = both(0.99);
  const allAlone = rounds.map(({ alone }) => alone.allMs / 1000);
  const allBeside = rounds.map(({ beside }) => beside.allMs / 1000);
  const left = median(rounds.map(({ beside }) => beside.left));
  return {
    'beside it': title,
    'alone, s': rounded(median(allAlone)),
    'beside, s': rounded(median(allBeside)),
    ratio: rounded(ratioByRound(allBeside, allAlone)),
    'batch p50 alone, s': rounded(median(halfAlone)),
    'p50 beside, s': rounded(median(halfBeside)),
    'p50 ratio': rounded(ratioByRound(halfBeside, halfAlone)),
    'p99 ratio': rounded(ratioByRound(mostBeside, mostAlone)),
    'batches not through': left === 0 ? null : left,
  };
}

function said(passages: Passages | undefined): string {
  if (!passages) return 'not measured';
  const all = `${rounded(passages.allMs / 1000)} s`;
  return passages.left === 0 ? all : `${passages.left} batches not through after ${all}`;
}
