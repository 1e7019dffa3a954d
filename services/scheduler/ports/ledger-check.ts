export interface CheckedLedger {
  clientId: string;
  /** Number of stored jobs that the client's totals imply: the accepted jobs minus those that have ended. */
  expected: number;
  /** Number of stored jobs that the check found in the counted partitions. */
  counted: number;
  /** Number of due jobs among the counted ones. They wait for their call, or are being called. */
  due: number;
  /** Milliseconds for which the oldest due job has been due; 0 if there are none. */
  oldestDueMs: number;
  sidelined: number;
  /** Number of jobs that are due but wait for earlier jobs with their ordering key; at most a million. */
  blocked: number;
  blockedKeys: number;
  /** Milliseconds for which the longest-waiting of these blocked jobs has been due; 0 if there are none. */
  oldestBlockedMs: number;
  /** Number of dead jobs that were not replayed. */
  dead: number;
  /** Number of hosts with an open circuit, for the client or one of its endpoints. */
  hosts: number;
}

export interface LedgerCheck {
  /** Returns the number of stored jobs that the totals of all clients imply. */
  expectedInAll(): Promise<number>;
  /**
   * Counts the jobs of these partitions by client, reads the totals at the same moment, and stores the result. Clients
   * without jobs and without totals are omitted.
   */
  check(partitions: readonly number[]): Promise<CheckedLedger[]>;
}
