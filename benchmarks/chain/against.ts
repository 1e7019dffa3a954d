import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import { usersPerBatch } from '../campaign-times.ts';
import { startCpuMeter, startForeignLoadMeter, withDescendants } from '../cpu.ts';
import { startEngine, type EngineUnderTest, type Variant } from '../engine-under-test.ts';
import { median, publishTables, ratioByRound, rounded, type Row } from '../results.ts';
import { withServers } from '../servers.ts';
import { databaseSettings, warmDatabase } from '../warm-database.ts';
import { leastQuietRounds, type Compared } from './guard.ts';
import { sourceOf } from './source-of.ts';

/**
 * Does the chain cost more than it did at another commit? Both engines run in the same minutes on one Kafka, one
 * Postgres and one stub, each with a database and topics of its own, and take turns: the one that begins changes from
 * round to round, and only neighbours are compared. Who waits is frozen, or its idle load on broker and database would
 * be counted to the other; turns are shorter than a consumer's session.
 */
const variants: readonly MeasuredVariant[] = [
  { variant: { form: 'full', latencyMs: 0, inFlight: 100 }, batches: 15_000, quickBatches: 5000 },
  { variant: { form: 'full', latencyMs: 20, inFlight: 100 }, batches: 8000, quickBatches: 5000 },
  { variant: { form: 'full', latencyMs: 50, inFlight: 100 }, batches: 6000, quickBatches: 4000 },
  { variant: { form: 'full', latencyMs: 50, inFlight: 10 }, batches: 1000, quickBatches: 400 },
];
/** After it was frozen: what fell due meanwhile is caught up with before anything is measured. */
const mostThawBatches = 500;
/** What the two may differ by before it counts. */
const tolerance = 0.03;
/** A round in which others took more than this share of the cores is repeated, at most once per round asked for. */
const mostForeignLoad = 0.08;

interface MeasuredVariant {
  variant: Variant;
  batches: number;
  quickBatches: number;
}

interface Turn {
  rate: number;
  /** Microseconds per batch, by process. */
  cpu: Record<string, number>;
  /** Share of all cores that others on this machine took meanwhile. */
  foreignLoad: number;
}

type Round = Record<Side, Turn>;

type Side = 'this' | 'other';

export interface AgainstOptions {
  ref: string;
  rounds: number;
  quick: boolean;
  /** One variant by its name, such as `50 ms, 10 in flight`. */
  only: string | undefined;
}

/**
 * @returns how the sum of CPU µs per batch over all processes compares, by variant
 * @throws {ConfigurationError} where there is no such variant
 */
export async function compareChains({ ref, rounds, quick, only }: AgainstOptions): Promise<Compared[]> {
  const asked = variants.filter(({ variant }) => only === undefined || nameOf(variant) === only);
  if (asked.length === 0) {
    const names = variants.map(({ variant }) => JSON.stringify(nameOf(variant)));
    throw new ConfigurationError([`--only ${JSON.stringify(only)}: there are ${names.join(', ')}`]);
  }
  const other = sourceOf(ref);
  try {
    return await withServers(databaseSettings, async ({ infrastructure, stub }) => {
      const start = (root?: string) =>
        startEngine({
          infrastructure,
          stub,
          variants: asked.map(({ variant }) => variant),
          ...(root !== undefined && { root }),
        });
      const engines = { this: await start(), other: await start(other.root) };
      const takeTurn = async (side: Side, variant: Variant, batches: number): Promise<Turn> => {
        const engine = engines[side];
        engines[side === 'this' ? 'other' : 'this'].signal('SIGSTOP');
        engine.signal('SIGCONT');
        await engine.runCampaign(Math.min(mostThawBatches, batches / 8) * usersPerBatch, variant);
        const processes = { ...engine.processes, endpoints: () => [stub.pid] };
        const readForeign = startForeignLoadMeter(() => withDescendants(process.pid));
        const read = startCpuMeter(processes);
        const seconds = await engine.runCampaign(batches * usersPerBatch, variant);
        const cpu = Object.entries(read()).map(([name, micros]) => [name, micros / batches] as const);
        return { rate: batches / seconds, cpu: Object.fromEntries(cpu), foreignLoad: readForeign() };
      };
      try {
        await warmDatabase(infrastructure.databaseUrl);
        const tables = [];
        const compared: Compared[] = [];
        for (const { variant, ...sizes } of asked) {
          const batches = quick ? sizes.quickBatches : sizes.batches;
          for (const engine of Object.values(engines)) engine.signal('SIGCONT');
          await warmUp(engines, variant, batches);
          const measured = await alternate(rounds, (side) => takeTurn(side, variant, batches));
          const { quiet, note } = quietRounds(measured);
          tables.push({
            title: `${nameOf(variant)}; ${note}`,
            rows: rowsOf(quiet),
          });
          const ratio = ratioByRound(microsOf(quiet, 'this'), microsOf(quiet, 'other'));
          compared.push({ name: nameOf(variant), ratio, quietRounds: measured.filter(isQuiet).length });
        }
        publishTables('chain-against', `This tree beside ${other.description}, interleaved`, tables);
        return compared;
      } finally {
        for (const engine of Object.values(engines)) engine.signal('SIGCONT');
        await Promise.all([engines.this.stop(), engines.other.stop()]);
      }
    });
  } finally {
    other.remove();
  }
}

function nameOf({ latencyMs, inFlight }: Variant): string {
  return `${latencyMs} ms, ${inFlight} in flight`;
}

async function warmUp(engines: Record<Side, EngineUnderTest>, variant: Variant, batches: number): Promise<void> {
  console.error(`warming up: ${nameOf(variant)}`);
  // By halves and in turn, so that neither begins on a younger broker and database than the other.
  for (const side of ['this', 'other', 'other', 'this'] as const) {
    await engines[side].runCampaign((batches / 2) * usersPerBatch, variant);
  }
}

/** Odd rounds begin with this tree, even ones with the other. */
async function alternate(wanted: number, take: (side: Side) => Promise<Turn>): Promise<Round[]> {
  const rounds: Round[] = [];
  while (rounds.filter(isQuiet).length < wanted && rounds.length < 2 * wanted) {
    const beginsHere = rounds.length % 2 === 0;
    const first = await take(beginsHere ? 'this' : 'other');
    const second = await take(beginsHere ? 'other' : 'this');
    const round = beginsHere ? { this: first, other: second } : { this: second, other: first };
    rounds.push(round);
    const rates = `this ${rounded(round.this.rate)}, other ${rounded(round.other.rate)} batches/s`;
    console.error(`round ${rounds.length}: ${rates}${isQuiet(round) ? '' : ', disturbed'}`);
  }
  return rounds;
}

function isQuiet(round: Round): boolean {
  return Math.max(round.this.foreignLoad, round.other.foreignLoad) <= mostForeignLoad;
}

/** The rounds that count: all of them where quiet ones are too few to take a median of. */
function quietRounds(rounds: readonly Round[]): { quiet: readonly Round[]; note: string } {
  const quiet = rounds.filter(isQuiet);
  if (quiet.length >= leastQuietRounds)
    return { quiet, note: `${quiet.length} rounds, ${rounds.length - quiet.length} disturbed ones left out` };
  return {
    quiet: rounds,
    note: `${rounds.length} rounds, ${rounds.length - quiet.length} of them disturbed by others`,
  };
}

/** The sum over all processes, by round. */
function microsOf(rounds: readonly Round[], side: Side): number[] {
  return rounds.map((round) => Object.values(round[side].cpu).reduce((sum, value) => sum + value, 0));
}

function rowsOf(rounds: readonly Round[]): Row[] {
  const rates = (side: Side) => rounds.map((round) => round[side].rate);
  const micros = (side: Side, process: string) => rounds.map((round) => round[side].cpu[process] ?? 0);
  const line = (
    name: string,
    ours: readonly number[],
    theirs: readonly number[],
    isWorse: (ratio: number) => boolean,
  ) => {
    const ratio = ratioByRound(ours, theirs);
    return {
      figure: name,
      this: rounded(median(ours)),
      other: rounded(median(theirs)),
      ratio: Number(ratio.toFixed(3)),
      'of rounds': spreadOf(ours, theirs),
      verdict: isWorse(ratio) ? `worse than ${tolerance * 100} %` : 'within',
    };
  };
  const processes = Object.keys(rounds[0]?.this.cpu ?? {});
  const isDearer = (ratio: number) => ratio > 1 + tolerance;
  return [
    line('batches/s', rates('this'), rates('other'), (ratio) => ratio < 1 - tolerance),
    line('µs per batch, all processes', microsOf(rounds, 'this'), microsOf(rounds, 'other'), isDearer),
    ...processes.map((process) => ({
      ...line(`µs per batch, ${process}`, micros('this', process), micros('other', process), isDearer),
      verdict: '',
    })),
  ];
}

/** The smallest and the largest ratio of a round: how far one round can be trusted. */
function spreadOf(ours: readonly number[], theirs: readonly number[]): string {
  const ratios = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  return `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
}
