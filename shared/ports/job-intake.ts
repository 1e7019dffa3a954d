/** A job to accept. The caller chooses the id, to store the job again if the outcome is unknown. */
export interface JobToStore {
  /** Id by `jobIdOf`. */
  jobId: string;
  clientId: string;
  key: string | null;
  /**
   * Time when the job is due. If null, the job is due after `delayMs`, by the database's clock. A job with a past time
   * is due now.
   */
  dueAt: Date | null;
  /** Milliseconds from now; 0 if there is a due time. */
  delayMs: number;
  /** Milliseconds from the due time until the job expires; null means never. */
  relevancyMs: number | null;
  method: string;
  url: string;
  /** JSON with names in lower case. Values that may be secrets are encrypted. */
  headers: string | null;
  /** Returns other encryptions of the same URL and headers, which an earlier job with the same key may have. */
  alike?: (() => Pick<JobToStore, 'url' | 'headers'>[]) | undefined;
  body: string | null;
  tags: readonly string[] | null;
  scheduleId: string | null;
  /** Call terms of the job itself, as `writeOwnTerms` writes them; null or undefined if it has none. */
  terms?: string | null | undefined;
  /** Ordering: jobs of the client with the same ordering key are called one at a time. Undefined means in parallel. */
  ordering?: JobOrdering | undefined;
}

export interface JobOrdering {
  key: string;
  /** True if a job that is retried keeps its place. */
  isInOrder: boolean;
}

export interface KnownJob {
  /** Due time of the job; null if the job is sidelined (the circuit of its host is open) or has ended. */
  dueAtMs: number | null;
  /**
   * True if the job makes the requested call: method, URL, headers and body are equal, however they are encrypted.
   * Times are not compared: a delay gives another time at each repeat, and a person may have moved the first job.
   */
  isSameCall: boolean;
}

export interface JobIntake {
  /**
   * Stores the jobs, and counts them as accepted by their clients, in one transaction. A job whose id is stored already
   * (pending, ended or quarantined) is left unchanged. The ids of one call must differ.
   *
   * @param slot slot of the totals: two concurrent calls should have different slots
   * @param isAgain true if an earlier call may have stored the jobs: ids without a key are then also looked up among
   * the ended jobs
   * @returns due time of each job that was stored now, by id, in milliseconds since 1970
   */
  store(jobs: readonly JobToStore[], slot: number, isAgain?: boolean): Promise<ReadonlyMap<string, number>>;
  /** Returns the stored job under the id of each job, in the same order; undefined if there is none. */
  known(jobs: readonly JobToStore[]): Promise<(KnownJob | undefined)[]>;
}
