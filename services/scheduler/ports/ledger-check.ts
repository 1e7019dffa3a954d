export interface CheckedLedger {
  clientId: string;
  /** What its totals say is stored: accepted, less what has ended. */
  expected: number;
  /** In the partitions that were counted. */
  counted: number;
  /** Of them, those that are due: waiting to be called, or being called. */
  due: number;
  /** For how long the oldest of these has been due; 0 where none is. */
  oldestDueMs: number;
  /** Of those that were counted. */
  sidelined: number;
  /** Whose time has come, and before which others of their ordering key are called; up to a million. */
  inLine: number;
  /** Of how many keys these are. */
  keysInLine: number;
  /** For how long the first of them has been ready; 0 where none is. */
  oldestInLineMs: number;
  /** Given up, and not replayed. */
  dead: number;
  /** That are left alone, for it or for one of its endpoints. */
  hosts: number;
}

export interface LedgerCheck {
  /** What the totals of all clients say is stored, together. */
  expectedInAll(): Promise<number>;
  /**
   * Counts the jobs of these partitions by client, beside the totals of the same moment, and keeps all of it. Clients
   * without jobs and totals are left out. It reads each of these jobs once.
   */
  check(partitions: readonly number[]): Promise<CheckedLedger[]>;
}
