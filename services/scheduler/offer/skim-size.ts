/** Rows of one partition in the first of several looks, and at most: half a millisecond of Postgres. */
const [leastRows, mostRows] = [20, 500];
/** A span (consecutive rows of one client) costs the scheduler what this many rows cost all processes. */
const rowsOfSpan = 8;
/** Work of a look over all partitions, in rows: a crowd of one client, or 1,100 rows of different clients. */
const workOfLook = 10_240;

/**
 * Rows that a look past clients behind reads of each partition. It adapts, so that looks stay short if each row belongs
 * to another client. A crowd of one client costs less: up to 500 rows per partition.
 */
export interface SkimSize {
  readonly rows: number;
  /**
   * Records the end of a look.
   * @param rows read of all partitions
   * @param spans groups of consecutive rows of one client among them
   * @param isFull true if there may be more in one of the partitions
   */
  read(rows: number, spans: number, isFull: boolean): void;
}

export function createSkimSize(): SkimSize {
  let size = leastRows;
  return {
    get rows() {
      return size;
    },
    read: (rows, spans, isFull) => {
      // At most twice as many: the next look may find a crowd in partitions that had none.
      const wanted = isFull ? Math.floor(Math.min(2, workOfLook / (rows + rowsOfSpan * spans)) * size) : leastRows;
      size = Math.max(leastRows, Math.min(mostRows, wanted));
    },
  };
}
