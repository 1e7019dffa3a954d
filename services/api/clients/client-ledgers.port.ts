/** accepted = called + expired + cancelled + dead + sidelined + pending, where pending is what is left: it is not counted for each question. */
export interface ClientLedger {
  accepted: number;
  called: number;
  expired: number;
  cancelled: number;
  dead: number;
  sidelined: number;
  pending: number;
  /** The last time that its stored jobs were counted; null before the first. */
  check: { at: Date; partitions: number; expected: number; counted: number } | null;
}

export interface ClientLedgers {
  /** All figures are of one moment. All are 0 for a client that never had a job. */
  ledgerOf(clientId: string): Promise<ClientLedger>;
}
