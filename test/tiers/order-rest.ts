import { createHash } from 'node:crypto';
import type { RestFile } from './rest-files.ts';

/** Every file has its turn once in so many days. */
export const daysOfTurns = 7;
/** Parts that run at the same time. */
export const lanes = 2;

/** `touched` by the change, its `turn` today, or `later`: run if time is left. */
export type OrderReason = 'touched' | 'turn' | 'later';

export interface OrderedFile extends RestFile {
  reason: OrderReason;
}

export interface RestOrder {
  /** In the order in which they are run. */
  files: readonly OrderedFile[];
  /** Lane minutes that the files of this day's turn are expected to take. */
  turnMinutes: number;
}

export interface OrderOptions {
  /** `YYYY-MM-DD`. */
  date: string;
  /** Rank by file; a file that the change does not reach is absent. */
  touched: ReadonlyMap<string, number>;
  /** The budget of the whole run, by the clock. */
  minutes: number;
}

/**
 * Orders the files of a run: first those that the change touches most, within half of the budget, so that the others
 * get their turn; then those whose turn it is on this day; then the rest, in another order each day.
 */
export function orderRest(files: readonly RestFile[], { date, touched, minutes }: OrderOptions): RestOrder {
  const turns = assignTurns(files);
  const today = dayNumber(date) % daysOfTurns;
  const byRank = files
    .filter(({ file }) => touched.has(file))
    .toSorted((a, b) => (touched.get(b.file) ?? 0) - (touched.get(a.file) ?? 0) || byHash(date)(a, b));
  const first = new Set(withinLaneMinutes(byRank, (minutes * lanes) / 2));
  const others = files.filter((file) => !first.has(file)).toSorted(byHash(date));
  const isTurn = ({ file }: RestFile) => turns.get(file) === today;
  const reasoned = (reason: OrderReason, of: readonly RestFile[]) => of.map((file) => ({ ...file, reason }));
  return {
    files: [
      ...reasoned('touched', [...first]),
      ...reasoned('turn', others.filter(isTurn)),
      ...reasoned(
        'later',
        others.filter((file) => !isTurn(file)),
      ),
    ],
    turnMinutes: others.filter(isTurn).reduce((sum, file) => sum + laneMinutes(file), 0),
  };
}

/** A part that runs alone takes all lanes. */
export function laneMinutes({ minutes, alone }: RestFile): number {
  return minutes * (alone === true ? lanes : 1);
}

/**
 * Gives each file one of the days, by its hash. If that day is full, the file goes to the next day with room, so that
 * days take about equally long, and another file or another duration moves few files to another day.
 */
export function assignTurns(files: readonly RestFile[]): ReadonlyMap<string, number> {
  const total = files.reduce((sum, file) => sum + laneMinutes(file), 0);
  const longest = Math.max(0, ...files.map(laneMinutes));
  const room = Math.max(longest, (total / daysOfTurns) * 1.15);
  const taken = Array.from({ length: daysOfTurns }, () => 0);
  const turns = new Map<string, number>();
  for (const file of files.toSorted(byHash(''))) {
    const wanted = hashOf(`turn of ${file.file}`) % daysOfTurns;
    const days = Array.from({ length: daysOfTurns }, (_, index) => (wanted + index) % daysOfTurns);
    const fits = days.find((day) => (taken[day] ?? 0) + laneMinutes(file) <= room);
    const day = fits ?? days.toSorted((a, b) => (taken[a] ?? 0) - (taken[b] ?? 0))[0] ?? wanted;
    taken[day] = (taken[day] ?? 0) + laneMinutes(file);
    turns.set(file.file, day);
  }
  return turns;
}

/** The first one always, then each that still fits. */
function withinLaneMinutes(files: readonly RestFile[], limit: number): RestFile[] {
  let taken = 0;
  return files.filter((file) => {
    if (taken > 0 && taken + laneMinutes(file) > limit) return false;
    taken += laneMinutes(file);
    return true;
  });
}

function byHash(salt: string): (a: RestFile, b: RestFile) => number {
  return (a, b) => hashOf(`${salt} ${a.file}`) - hashOf(`${salt} ${b.file}`);
}

function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

function dayNumber(date: string): number {
  const ms = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(ms)) throw new Error(`${date} is not a date of the form YYYY-MM-DD`);
  return Math.floor(ms / 86_400_000);
}
