import { median, ratioByRound, rounded, type Row } from './results.ts';
import { leastQuietRounds } from './chain/guard.ts';

/**
 * Runs two versions of Muster in turns on the same servers. The version that begins changes from round to round. Only
 * adjacent turns are compared, because a machine with other load changes its speed within minutes.
 */
export type Version = 'this' | 'other';

export interface Turn {
  /** Units per second. */
  rate: number;
  /** CPU microseconds per unit, by process. */
  cpu: Record<string, number>;
  /** Share of all cores that other programs used meanwhile, 0 to 1. */
  foreignLoad: number;
}

export type Round = Record<Version, Turn>;

/** Name of a counted item in singular and plural, such as `batch` and `batches`. */
export interface Unit {
  one: string;
  many: string;
}

/** Largest relative difference that still counts as equal. */
const tolerance = 0.03;
/**
 * Highest share of the cores that other programs may use in a round. A round above it is repeated; there are at most
 * twice as many rounds as requested.
 */
const mostForeignLoad = 0.08;

/** Runs rounds of one turn per version. Odd rounds begin with this tree, even rounds with the other version. */
export async function measureAlternately(
  wanted: number,
  unit: string,
  take: (side: Version) => Promise<Turn>,
): Promise<Round[]> {
  const rounds: Round[] = [];
  while (rounds.filter(isQuiet).length < wanted && rounds.length < 2 * wanted) {
    const beginsHere = rounds.length % 2 === 0;
    const first = await take(beginsHere ? 'this' : 'other');
    const second = await take(beginsHere ? 'other' : 'this');
    const round = beginsHere ? { this: first, other: second } : { this: second, other: first };
    rounds.push(round);
    const rates = `this ${rounded(round.this.rate)}, other ${rounded(round.other.rate)} ${unit}/s`;
    console.error(`round ${rounds.length}: ${rates}${isQuiet(round) ? '' : ', disturbed'}`);
  }
  return rounds;
}

export function isQuiet(round: Round): boolean {
  return Math.max(round.this.foreignLoad, round.other.foreignLoad) <= mostForeignLoad;
}

/** Returns the rounds without much foreign load; if these are too few for a median, all rounds. */
export function quietRounds(rounds: readonly Round[]): { quiet: readonly Round[]; note: string } {
  const quiet = rounds.filter(isQuiet);
  if (quiet.length >= leastQuietRounds)
    return { quiet, note: `${quiet.length} rounds, ${rounds.length - quiet.length} disturbed ones left out` };
  return {
    quiet: rounds,
    note: `${rounds.length} rounds, ${rounds.length - quiet.length} of them disturbed by others`,
  };
}

/** Returns the CPU microseconds per unit, summed over all processes, for each round. */
export function microsOf(rounds: readonly Round[], side: Version): number[] {
  return rounds.map((round) => Object.values(round[side].cpu).reduce((sum, value) => sum + value, 0));
}

/** Returns the cost of both versions, and their ratio. */
export function rowsOf(rounds: readonly Round[], { one, many }: Unit): Row[] {
  const rates = (side: Version) => rounds.map((round) => round[side].rate);
  const micros = (side: Version, process: string) => rounds.map((round) => round[side].cpu[process] ?? 0);
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
      'of rounds': ratioRange(ours, theirs),
      verdict: isWorse(ratio) ? `worse than ${tolerance * 100} %` : 'within',
    };
  };
  const processes = Object.keys(rounds[0]?.this.cpu ?? {});
  const isDearer = (ratio: number) => ratio > 1 + tolerance;
  return [
    line(`${many}/s`, rates('this'), rates('other'), (ratio) => ratio < 1 - tolerance),
    line(`µs per ${one}, all processes`, microsOf(rounds, 'this'), microsOf(rounds, 'other'), isDearer),
    ...processes.map((process) => ({
      ...line(`µs per ${one}, ${process}`, micros('this', process), micros('other', process), isDearer),
      verdict: '',
    })),
  ];
}

/** Returns the smallest and the largest ratio of a round, which show how reliable one round is. */
function ratioRange(ours: readonly number[], theirs: readonly number[]): string {
  const ratios = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  return `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
}
