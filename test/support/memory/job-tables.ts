import type { Client } from '../../../shared/ports/clients.ts';
import type { JobOrdering } from '../../../shared/ports/job-intake.ts';
import type { OrderedKey } from '../../../shared/ports/ordered-keys.ts';

/** The scheduler's tables as in Postgres (migrations/…_schema/jobs.sql). */
export interface JobTables {
  /** Moves with every change of a client. */
  readonly clients: Map<string, Client>;
  /** Jobs that wait, are being called or are sidelined, by id. */
  readonly jobs: Map<string, StoredJobRow>;
  /** Jobs that are being called, by id. */
  readonly fires: Map<string, FireRow>;
  readonly ended: EndedJobRow[];
  /** Attempts that were not the last one. */
  readonly attempts: JobAttemptRow[];
  readonly dead: Map<string, DeadJobRow>;
  /** By client: the sum over all slots. */
  readonly totals: Map<string, ClientTotalsRow>;
  /** Keys that have to be advanced. */
  readonly wakes: Set<KeyWake>;
}

export interface KeyWake extends OrderedKey {
  atMs: number;
}

export interface StoredJobRow {
  jobId: string;
  clientId: string;
  /** Infinity while it is sidelined, or waits for its turn. */
  dueAtMs: number;
  attempt: number;
  /** Calls that tried its host while that was left alone. */
  probes: number;
  scheduledForMs: number;
  acceptedAtMs: number;
  expiresAtMs: number | null;
  key: string | null;
  method: string;
  url: string;
  /** JSON. */
  headers: string | null;
  body: string | null;
  tags: readonly string[] | null;
  scheduleId: string | null;
  /** Host that a sidelined job waits for. */
  sideline: string | null;
  /** One of its key at a time. It waits for its turn while it is due at Infinity and not sidelined. */
  ordering?: JobOrdering | undefined;
  /** Among those that were accepted at once. */
  place?: number;
  /** Its call was accepted, or has been reported as failed: null or nothing where it is to be called. */
  report?: string | null;
  /** When it would be due alone. */
  readyAtMs?: number;
  /** Job that this one sends again; none unless given. */
  repeats?: string;
  /** Terms of the job itself; none unless given. */
  terms?: string | null | undefined;
}

export interface FireRow {
  jobId: string;
  owner: string;
  epoch: number;
  leaseUntilMs: number;
  /** With an ordering key: until then its call may be under way, whoever has died. */
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
  /** Postgres keeps a digest of these two. */
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
  /** All that a replay needs. */
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

/** Adds to what is counted of a client. */
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
