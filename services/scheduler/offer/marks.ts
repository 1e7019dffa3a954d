import { firstMark, isAfter, type Mark, type PartitionMark } from '../ports/due-references.ts';

/**
 * Age in milliseconds from which the sweep offers a job again for the first time. A younger job may still be on its way
 * to a dispatcher. The times until further offers of the same job grow.
 */
export const firstSweepAfterMs = 10_000;

/** Marks: for each owned partition, the positions up to which scans had read it, now and ten seconds ago. */
export interface Marks {
  /** Number of owned partitions. */
  readonly size: number;
  /** Sets the owned partitions. A new partition is read from its beginning. Returns true if the set has changed. */
  own(partitions: readonly number[]): boolean;
  all(): PartitionMark[];
  of(partition: number): Mark;
  /** Moves the mark of a partition forward. A mark that is not after the current one has no effect. */
  advance(partition: number, mark: Mark): void;
  /** Records the current marks if the last record is about a second old. Must be called at least once a second. */
  keepHistory(nowMs: number): void;
  /** Returns the mark as it was ten seconds ago; the beginning of the partition if that is unknown. */
  settledOf(partition: number, nowMs: number): Mark;
  /** Makes the current marks count as ten seconds old, so that the next sweep covers all jobs before them. */
  settle(): void;
}

/**
 * Minimum time in milliseconds between two records. It is less than a second, because calls that come once a second may
 * come slightly early.
 */
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
      if (before && isAfter({ dueUs, jobId }, before)) marks.set(partition, { dueUs, jobId });
    },
    keepHistory: (nowMs) => {
      for (const [partition, mark] of marks) {
        const past = history.get(partition) ?? [];
        if (nowMs - (past.at(-1)?.atMs ?? -Infinity) < historyEveryMs) continue;
        past.push({ atMs: nowMs, mark });
        // Older records are not needed. One record that is at least ten seconds old must stay.
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
