export interface CheckedLedger {
  clientId: string;
  /** Stored jobs by the totals: accepted, less ended. */
  expected: number;
  /** Stored jobs in the counted partitions. */
  counted: number;
  /** Number of due jobs among those counted. They wait to be called, or are being called. */
  due: number;
  /** Milliseconds for which the oldest due job has been due; 0 if there are none. */
  oldestDueMs: number;
  sidelined: number;
  /** Number of jobs that are due but wait for earlier jobs with their ordering key; at most a million. */
  blocked: number;
  blockedKeys: number;
  /** Milliseconds for which the first of these waiting jobs has been ready; 0 if there are none. */
  oldestBlockedMs: number;
  /** Dead jobs that were not replayed. */
  dead: number;
  /** Hosts with an open circuit, for the client or one of its endpoints. */
  hosts: number;
}

export interface LedgerCheck {
  /** Returns the stored jobs by the totals of all clients. */
  expectedInAll(): Promise<number>;
  /**
   * Counts the jobs of these partitions by client, with the totals of the same moment, and stores the result. Clients
   * without jobs and totals are left out.
   */
  check(partitions: readonly number[]): Promise<CheckedLedger[]>;
}
