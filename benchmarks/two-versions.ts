import { median, ratioByRound, rounded, type Row } from './results.ts';
import { leastQuietRounds } from './chain/guard.ts';

/**
 * Two versions of Muster in turns on the same servers. The one that begins changes from round to round, and only
 * neighbours are compared, because a machine that others use as well is quick and slow for minutes.
 */
export type Side = 'this' | 'other';

export interface Turn {
  /** Units in a second. */
  rate: number;
  /** Microseconds per unit, by process. */
  cpu: Record<string, number>;
  /** Share of all cores that others on this machine took meanwhile. */
  foreignLoad: number;
}

export type Round = Record<Side, Turn>;

/** The thing that is counted: a batch, batches. */
export interface Unit {
  one: string;
  many: string;
}

/** Part by which the two may differ before it counts. */
const tolerance = 0.03;
/** A round in which others took more than this share of the cores is repeated, at most once per round asked for. */
const mostForeignLoad = 0.08;

/** Odd rounds begin with this tree, even ones with the other. */
export async function alternate(wanted: number, unit: string, take: (side: Side) => Promise<Turn>): Promise<Round[]> {
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

/** The rounds that count: all of them where quiet ones are too few to take a median of. */
export function quietRounds(rounds: readonly Round[]): { quiet: readonly Round[]; note: string } {
  const quiet = rounds.filter(isQuiet);
  if (quiet.length >= leastQuietRounds)
    return { quiet, note: `${quiet.length} rounds, ${rounds.length - quiet.length} disturbed ones left out` };
  return {
    quiet: rounds,
    note: `${rounds.length} rounds, ${rounds.length - quiet.length} of them disturbed by others`,
  };
}

/** The sum over all processes, by round. */
export function microsOf(rounds: readonly Round[], side: Side): number[] {
  return rounds.map((round) => Object.values(round[side].cpu).reduce((sum, value) => sum + value, 0));
}

/** Returns the cost of both versions, and their ratio. */
export function rowsOf(rounds: readonly Round[], { one, many }: Unit): Row[] {
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
    line(`${many}/s`, rates('this'), rates('other'), (ratio) => ratio < 1 - tolerance),
    line(`µs per ${one}, all processes`, microsOf(rounds, 'this'), microsOf(rounds, 'other'), isDearer),
    ...processes.map((process) => ({
      ...line(`µs per ${one}, ${process}`, micros('this', process), micros('other', process), isDearer),
      verdict: '',
    })),
  ];
}

/** The smallest and the largest ratio of a round: how far one round can be trusted. */
function spreadOf(ours: readonly number[], theirs: readonly number[]): string {
  const ratios = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  return `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
}
