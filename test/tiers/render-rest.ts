import { rankOfItself } from './rank-touched.ts';
import { daysOfTurns, laneMinutes, lanes, type OrderReason, type RestOrder } from './order-rest.ts';

export interface OrderContext {
  date: string;
  /** The commit that the change is measured from, or why there is none. */
  since: string;
  minutes: number;
  touched: ReadonlyMap<string, number>;
}

/** The order of a run, with the reason for each place and the time that is expected to be over after it. */
export function renderOrder(
  { files, turnMinutes }: RestOrder,
  { date, since, minutes, touched }: OrderContext,
): string {
  let laneMinutesSoFar = 0;
  const lines = files.map((file) => {
    laneMinutesSoFar += laneMinutes(file);
    const after = laneMinutesSoFar / lanes;
    const rank = file.reason === 'touched' ? `rank ${renderRank(touched.get(file.file) ?? 0)}` : '';
    const columns = [
      file.reason.padEnd(8),
      `${file.minutes.toFixed(1).padStart(5)} min`,
      `${after.toFixed(0).padStart(4)}${after <= minutes ? ' ' : '*'}`,
      file.alone === true ? 'alone' : '     ',
      `${file.tier.padEnd(11)} ${file.file}`,
      rank,
    ];
    return columns.join('  ').trimEnd();
  });
  const head = [
    `Order of ${date}: ${files.length} files in ${lanes} lanes, ${minutes} min, ${since}.`,
    `Each file has its turn once in ${daysOfTurns} days; today's turn is expected to take ${(turnMinutes / lanes).toFixed(0)} min.`,
    'reason     expected   end   (* after the time is over)',
  ];
  return [...head, ...lines].join('\n');
}

function renderRank(rank: number): string {
  return rank >= rankOfItself ? 'changed itself' : String(rank);
}

export interface Reached {
  file: string;
  reason: OrderReason;
  minutes: number;
  end: 'passed' | 'FAILED' | 'cut off';
}

/** Lists the files that were run and those that were not, each with the reason for its place. */
export function renderReached(
  reached: readonly Reached[],
  notStarted: readonly { file: string; reason: OrderReason }[],
): string {
  const lines = reached.map(
    ({ file, reason, minutes, end }) =>
      `${end.padEnd(12)} ${reason.padEnd(8)} ${minutes.toFixed(1).padStart(5)} min  ${file}`,
  );
  const others = notStarted.map(
    ({ file, reason }) => `${'not reached'.padEnd(12)} ${reason.padEnd(8)}            ${file}`,
  );
  const missed = notStarted.filter(({ reason }) => reason === 'turn').length;
  const sum = `${reached.length} files reached, ${notStarted.length} not reached, ${missed} of these had their turn`;
  return [...lines, ...others, sum].join('\n');
}
