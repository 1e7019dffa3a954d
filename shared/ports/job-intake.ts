/**
 * A job as it is accepted. Its id is chosen before, so that it can be stored again when it is unknown whether it was.
 */
export interface JobToStore {
  /** By `jobIdOf`. */
  jobId: string;
  clientId: string;
  key: string | null;
  /** Null: after the delay, by the database's clock. What is past is due now. */
  dueAt: Date | null;
  /** From now; 0 where there is a due time. */
  delayMs: number;
  /** After its due time it expires; null: never. */
  relevancyMs: number | null;
  method: string;
  url: string;
  /** JSON, names in small letters. Values that may be secrets are sealed. */
  headers: string | null;
  /** The same URL and headers as an earlier one of its key may have them that was sealed otherwise. */
  alike?: (() => Pick<JobToStore, 'url' | 'headers'>[]) | undefined;
  body: string | null;
  tags: readonly string[] | null;
  /** Whose occurrence it is. */
  scheduleId: string | null;
  /** How it is called, where it says so itself: `writeOwnTerms`. */
  terms?: string | null | undefined;
  /** One of this key of its client at a time; beside others unless given. */
  ordering?: JobOrdering | undefined;
}

export interface JobOrdering {
  key: string;
  /** One that is called again keeps its place. */
  isInOrder: boolean;
}

/** A job that is there already, in whatever state. */
export interface KnownJob {
  /** Null where it is sidelined or has ended. */
  dueAtMs: number | null;
  /**
   * Whether it calls what is asked for now: method, URL, headers and body, however they are sealed. Times are not
   * compared: a delay is another time at each repeat, and a person may have moved the first.
   */
  isSameCall: boolean;
}

/** How jobs come in. */
export interface JobIntake {
  /**
   * Stores them in one transaction, and counts them as accepted by their clients in the same one. An id that is there
   * already, pending, ended or dead, is left alone. Ids of one call have to differ.
   *
   * @param slot of the totals: two calls under way at once should have different ones
   * @param isAgain true where an earlier call may have stored them: then ids without a key are looked for among the
   * ended ones too
   * @returns when each of those that were stored now is due, by id: milliseconds since 1970
   */
  store(jobs: readonly JobToStore[], slot: number, isAgain?: boolean): Promise<ReadonlyMap<string, number>>;
  /** What is there under the id of each, in their order; undefined: nothing. */
  known(jobs: readonly JobToStore[]): Promise<(KnownJob | undefined)[]>;
}
