import { firstMark, isAfter, type Mark, type PartitionMark } from '../ports/due-references.ts';

/**
 * Time in milliseconds before the sweep looks for a job for the first time, because its offer may still be on its way.
 * Further offers of the same job follow after longer times.
 */
export const firstSweepAfterMs = 10_000;

/** Marks: for each owned partition, the position up to which looks have read it, now and ten seconds ago. */
export interface Marks {
  /** Number of owned partitions. */
  readonly size: number;
  /** Sets the owned partitions; new ones start from their beginning. Returns true if the set has changed. */
  own(partitions: readonly number[]): boolean;
  all(): PartitionMark[];
  of(partition: number): Mark;
  /** Moves the mark of a partition forward. A mark that is not later than the current one has no effect. */
  advance(partition: number, mark: Mark): void;
  /** Records the marks about once a second; to be called at least as often. */
  keepHistory(nowMs: number): void;
  /** Returns the mark of ten seconds ago; the beginning of the partition if unknown. */
  settledOf(partition: number, nowMs: number): Mark;
  /** Makes the present marks count as ten seconds old, so that the next sweep covers all jobs before them. */
  settle(): void;
}

/** Less than a second, because calls once a second may come slightly early. */
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
        // Removes old records, but keeps one that is at least ten seconds old.
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
