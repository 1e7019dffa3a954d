export interface CheckedLedger {
  clientId: string;
  /** What its totals say is stored: accepted, less what has ended. */
  expected: number;
  /** In the partitions that were counted. */
  counted: number;
}

export interface LedgerCheck {
  /** What the totals of all clients say is stored, together. */
  expectedInAll(): Promise<number>;
  /**
   * Counts the jobs of these partitions by client, beside the totals of the same moment, and keeps both. Clients
   * without either are left out. It reads each of these jobs once.
   */
  check(partitions: readonly number[]): Promise<CheckedLedger[]>;
}
