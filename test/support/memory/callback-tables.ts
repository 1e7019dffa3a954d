import type { SettableClock } from '../settable-clock.ts';

/** The rows of scheduled callbacks, table by table as in Postgres, as far as looking, offering and calling go. */
export interface CallbackTables {
  readonly clock: SettableClock;
  /** What waits, is being called or is sidelined, by job. */
  readonly jobs: Map<string, StoredJobRow>;
  /** What is being called, by job. */
  readonly fires: Map<string, FireRow>;
  readonly ended: EndedJobRow[];
  /** Attempts that were not the last one. */
  readonly attempts: JobAttemptRow[];
  readonly dead: Map<string, DeadJobRow>;
  /** By client. */
  readonly totals: Map<string, ClientTotalsRow>;
  /** By name. */
  readonly regions: Map<string, { epoch: number; active: boolean }>;
  /** By `circuitKey`. */
  readonly circuits: Map<string, CircuitRow>;
  /** By owner. */
  readonly nodes: Map<string, NodeRow>;
  /** By partition. */
  readonly partitions: PartitionRow[];
}

export interface StoredJobRow {
  jobId: string;
  clientId: string;
  /** Infinity while it is sidelined. */
  dueAtMs: number;
  attempt: number;
  scheduledForMs: number;
  expiresAtMs: number | null;
  method: string;
  url: string;
  headers: string | null;
  body: string | null;
  /** The host that it waits for. */
  sideline: string | null;
}

export interface FireRow {
  owner: string;
  epoch: number;
  leaseUntilMs: number;
}

export interface EndedJobRow {
  jobId: string;
  clientId: string;
  endedAtMs: number;
  outcome: string;
  attempt: number;
  status: number | null;
  error: string | null;
  answer: string | null;
}

export interface JobAttemptRow {
  jobId: string;
  atMs: number;
  attempt: number;
  status: number | null;
}

export interface DeadJobRow {
  diedAtMs: number;
  cause: string;
  job: StoredJobRow;
}

export interface ClientTotalsRow {
  accepted: number;
  called: number;
  expired: number;
  cancelled: number;
  dead: number;
}

export interface CircuitRow {
  clientId: string;
  host: string;
  state: 'open' | 'closing' | 'disabled';
  cause: string;
  openings: number;
  openedAtMs: number;
  nextAtMs: number;
  closingSinceMs: number | null;
}

export interface NodeRow {
  kind: string;
  region: string;
  expiresAtMs: number;
  figures: Readonly<Record<string, number>>;
}

export interface PartitionRow {
  wanted: string | null;
  owner: string | null;
  token: number;
  expiresAtMs: number;
}

export function createCallbackTables(clock: SettableClock): CallbackTables {
  return {
    clock,
    jobs: new Map(),
    fires: new Map(),
    ended: [],
    attempts: [],
    dead: new Map(),
    totals: new Map(),
    regions: new Map([['local', { epoch: 1, active: true }]]),
    circuits: new Map(),
    nodes: new Map(),
    partitions: Array.from({ length: 64 }, () => ({ wanted: null, owner: null, token: 0, expiresAtMs: 0 })),
  };
}

export function circuitKey(clientId: string, host: string): string {
  return `${clientId}/${host}`;
}

export function countOutcome({ totals }: CallbackTables, clientId: string, outcome: keyof ClientTotalsRow): void {
  const row = totals.get(clientId) ?? { accepted: 0, called: 0, expired: 0, cancelled: 0, dead: 0 };
  row[outcome]++;
  totals.set(clientId, row);
}
