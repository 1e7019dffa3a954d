export interface CheckedLedger {
  clientId: string;
  /** Stored jobs by the totals: accepted, less ended. */
  expected: number;
  /** Stored jobs in the counted partitions. */
  counted: number;
  /** Due jobs among the counted ones: waiting to be called, or being called. */
  due: number;
  /** Milliseconds for which the oldest of these has been due; 0 if there is none. */
  oldestDueMs: number;
  sidelined: number;
  /** Jobs whose time has come and that wait for others of their ordering key; up to a million. */
  inLine: number;
  keysInLine: number;
  /** Milliseconds for which the first of them has been ready; 0 if there is none. */
  oldestInLineMs: number;
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
