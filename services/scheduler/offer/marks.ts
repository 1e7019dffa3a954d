import { firstMark, isBehind, type Mark, type PartitionMark } from '../ports/due-references.ts';

/** Offers of one job grow apart from here: what was just offered is on its way. */
export const firstSweepAfterMs = 10_000;

/** How far each owned partition was looked at, now and a while ago. */
export interface Marks {
  /** Partitions. */
  readonly size: number;
  /**
   * Of exactly these partitions; those that are new begin at their beginning. Returns true when others were owned
   * before.
   */
  own(partitions: readonly number[]): boolean;
  all(): PartitionMark[];
  of(partition: number): Mark;
  /** Never goes back. */
  advance(partition: number, mark: Mark): void;
  /** Remembers where the marks stand, about once a second; to be called at least as often. */
  keepHistory(nowMs: number): void;
  /** Everything up to it was seen ten seconds ago or more; the beginning where that is not known. */
  settledOf(partition: number, nowMs: number): Mark;
  /** What was seen so far counts as if it were ten seconds ago: who was to call it is gone. */
  settle(): void;
}

/** Less than a second, as those that keep it once a second may come a moment early. */
const historyEveryMs = 900;

interface Past {
  atMs: number;
  mark: Mark;
}

export function createMarks(): Marks {
  let marks = new Map<number, Mark>();
  let history = new Map<number, Past[]>();

  return {
    get size() {
      return marks.size;
    },
    own: (partitions) => {
      const isSame = partitions.length === marks.size && partitions.every((partition) => marks.has(partition));
      if (isSame) return false;
      marks = new Map(partitions.map((partition) => [partition, marks.get(partition) ?? firstMark]));
      history = new Map(partitions.map((partition) => [partition, history.get(partition) ?? []]));
      return true;
    },
    all: () => Array.from(marks, ([partition, mark]) => ({ partition, ...mark })),
    of: (partition) => marks.get(partition) ?? firstMark,
    advance: (partition, { dueUs, jobId }) => {
      const before = marks.get(partition);
      if (before && isBehind({ dueUs, jobId }, before)) marks.set(partition, { dueUs, jobId });
    },
    keepHistory: (nowMs) => {
      for (const [partition, mark] of marks) {
        const past = history.get(partition) ?? [];
        if (nowMs - (past.at(-1)?.atMs ?? -Infinity) < historyEveryMs) continue;
        past.push({ atMs: nowMs, mark });
        // One that is old enough stays.
        while (past.length > 1 && (past[1]?.atMs ?? Infinity) <= nowMs - firstSweepAfterMs) past.shift();
      }
    },
    settledOf: (partition, nowMs) => {
      const [oldest] = history.get(partition) ?? [];
      return oldest && oldest.atMs <= nowMs - firstSweepAfterMs ? oldest.mark : firstMark;
    },
    settle: () => {
      for (const [partition, mark] of marks) history.set(partition, [{ atMs: -Infinity, mark }]);
    },
  };
}
