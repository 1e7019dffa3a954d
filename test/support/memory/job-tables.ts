import type { Client } from '../../../shared/ports/clients.ts';
import type { JobOrdering } from '../../../shared/ports/job-intake.ts';
import type { OrderedKey } from '../../../shared/ports/ordered-keys.ts';

/** The scheduler's tables as in Postgres (migrations/…_schema/jobs.sql). */
export interface JobTables {
  /** Clients. Their revision increases with every change. */
  readonly clients: Map<string, Client>;
  /** Jobs that wait, are being called or are sidelined, by id. */
  readonly jobs: Map<string, StoredJobRow>;
  /** Jobs that are being called, by id. */
  readonly fires: Map<string, FireRow>;
  readonly ended: EndedJobRow[];
  /** Failed attempts that another attempt followed. */
  readonly attempts: JobAttemptRow[];
  readonly dead: Map<string, DeadJobRow>;
  /** Totals of each client over all slots. */
  readonly totals: Map<string, ClientTotalsRow>;
  /** Ordering keys that have to be advanced. */
  readonly wakes: Set<KeyWake>;
}

export interface KeyWake extends OrderedKey {
  atMs: number;
}

export interface StoredJobRow {
  jobId: string;
  clientId: string;
  /** Infinity while the job is sidelined or waits for its turn. */
  dueAtMs: number;
  attempt: number;
  /** Number of calls that probed the sidelined host. */
  probes: number;
  scheduledForMs: number;
  acceptedAtMs: number;
  expiresAtMs: number | null;
  key: string | null;
  method: string;
  url: string;
  /** Headers as JSON. */
  headers: string | null;
  body: string | null;
  tags: readonly string[] | null;
  scheduleId: string | null;
  /** Host that a sidelined job waits for. */
  sideline: string | null;
  /**
   * Ordering of a job with an ordering key. The job waits for its turn while it is due at Infinity and not sidelined.
   */
  ordering?: JobOrdering | undefined;
  /** Position among jobs that were accepted at once. */
  place?: number;
  /** Set if a call was accepted with 202, or was reported as failed. Null or undefined if the job is to be called. */
  report?: string | null;
  /** Time at which the job would be due without its ordering key. */
  readyAtMs?: number;
  /** Job that this job repeats; none by default. */
  repeats?: string;
  /** Terms of the job itself; none by default. */
  terms?: string | null | undefined;
}

export interface FireRow {
  jobId: string;
  owner: string;
  epoch: number;
  leaseUntilMs: number;
  /** For a job with an ordering key: time until which its call may be in progress, even if its dispatcher died. */
  exclusiveUntilMs?: number;
}

export interface EndedJobRow {
  jobId: string;
  clientId: string;
  endedAtMs: number;
  scheduledForMs: number;
  outcome: string;
  attempt: number;
  status: number | null;
  latencyMs: number | null;
  error: string | null;
  answer: string | null;
  method: string;
  url: string;
  /** Postgres stores a digest of headers and body. */
  headers: string | null;
  body: string | null;
  key: string | null;
  tags: readonly string[] | null;
  scheduleId: string | null;
}

export interface JobAttemptRow {
  jobId: string;
  atMs: number;
  attempt: number;
  status: number | null;
  latencyMs: number | null;
  error: string | null;
  answer: string | null;
}

export interface DeadJobRow {
  jobId: string;
  clientId: string;
  diedAtMs: number;
  cause: string;
  /** Everything that a replay needs. */
  job: StoredJobRow;
}

export interface ClientTotalsRow {
  accepted: number;
  called: number;
  expired: number;
  cancelled: number;
  dead: number;
}

export function createJobTables(): JobTables {
  return {
    clients: new Map(),
    jobs: new Map(),
    fires: new Map(),
    ended: [],
    attempts: [],
    dead: new Map(),
    totals: new Map(),
    wakes: new Set(),
  };
}

/** Adds to the counts of a client. */
export function countJobs(tables: JobTables, clientId: string, delta: Partial<ClientTotalsRow>): void {
  const before = tables.totals.get(clientId) ?? { accepted: 0, called: 0, expired: 0, cancelled: 0, dead: 0 };
  const { accepted = 0, called = 0, expired = 0, cancelled = 0, dead = 0 } = delta;
  tables.totals.set(clientId, {
    accepted: before.accepted + accepted,
    called: before.called + called,
    expired: before.expired + expired,
    cancelled: before.cancelled + cancelled,
    dead: before.dead + dead,
  });
}
