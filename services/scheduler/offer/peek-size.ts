/**
 * Minimum and maximum number of rows per partition that a scan reads while there is a backlog. Postgres takes half a
 * millisecond for the maximum.
 */
const [leastRows, mostRows] = [20, 500];
/** Work for a span (consecutive rows of one client), as the number of rows that cause as much work in the scheduler. */
const rowsOfSpan = 8;
/**
 * Maximum work of a scan over all partitions, in rows. It suffices for a backlog of one client, or for 1,100 rows that
 * all belong to different clients.
 */
const workPerScan = 10_240;

/**
 * Number of rows per partition that a scan reads while there is a backlog. The number adapts to the work of earlier
 * scans, so that scans stay short even if each row belongs to another client. The backlog of a single client costs
 * less, so a scan then reads up to 500 rows per partition.
 */
export interface PeekSize {
  readonly rows: number;
  /**
   * Records the result of a scan.
   * @param rows number of rows read of all partitions
   * @param spans number of spans (consecutive rows of one client) among them
   * @param isFull true if a partition may contain more due rows
   */
  read(rows: number, spans: number, isFull: boolean): void;
}

export function createPeekSize(): PeekSize {
  let size = leastRows;
  return {
    get rows() {
      return size;
    },
    read: (rows, spans, isFull) => {
      // The number at most doubles, because the next scan may find a backlog in partitions that had none.
      const wanted = isFull ? Math.floor(Math.min(2, workPerScan / (rows + rowsOfSpan * spans)) * size) : leastRows;
      size = Math.max(leastRows, Math.min(mostRows, wanted));
    },
  };
}
