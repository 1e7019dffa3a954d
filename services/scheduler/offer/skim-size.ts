/** Rows of one partition in the first of several looks, and at most: half a millisecond of Postgres. */
const [leastRows, mostRows] = [20, 500];
/** Rows over all partitions. Those of one crowd cost Postgres and the scheduler 4 ms of CPU together. */
const rowsOfLook = 1280;

/**
 * How many rows of each partition a look past clients that are behind reads. A crowd in one partition is passed by
 * hundreds of rows at a time. A crowd in all of them is not, since everything else waits for the end of a look.
 */
export interface SkimSize {
  readonly rows: number;
  /**
   * A look has ended.
   * @param rows read of all partitions
   * @param isFull true if there may be more in one of them
   */
  read(rows: number, isFull: boolean): void;
}

export function createSkimSize(): SkimSize {
  let size = leastRows;
  return {
    get rows() {
      return size;
    },
    read: (rows, isFull) => {
      // At most twice as many: the next look may find a crowd in partitions that had none.
      const wanted = isFull ? Math.floor(Math.min(2, rowsOfLook / rows) * size) : leastRows;
      size = Math.max(leastRows, Math.min(mostRows, wanted));
    },
  };
}
