/**
 * Minimum and maximum number of rows per partition that a look beside a backlog reads. The maximum takes Postgres half
 * a millisecond.
 */
const [leastRows, mostRows] = [20, 500];
/** Cost of a span (consecutive rows of one client) for the scheduler, in rows. */
const rowsOfSpan = 8;
/**
 * Maximum cost of a look over all partitions, in rows. It suffices for a backlog of one client, or for 1,100 rows of
 * different clients.
 */
const workOfLook = 10_240;

/**
 * Number of rows per partition that a look beside a backlog reads. It adapts, so that looks stay short even if each row
 * belongs to another client. A backlog of a single client costs less, so up to 500 rows per partition are read.
 */
export interface SkimSize {
  readonly rows: number;
  /**
   * Records the result of a look.
   * @param rows number of rows read of all partitions
   * @param spans number of spans (consecutive rows of one client) among them
   * @param isFull true if a partition may contain more due rows
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
      // At most doubles the number, because the next look may find a backlog in partitions that had none.
      const wanted = isFull ? Math.floor(Math.min(2, workOfLook / (rows + rowsOfSpan * spans)) * size) : leastRows;
      size = Math.max(leastRows, Math.min(mostRows, wanted));
    },
  };
}
