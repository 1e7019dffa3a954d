import type { NodeCredit } from '../../../shared/ports/job-nodes.ts';
import type { SettableClock } from '../settable-clock.ts';
import { createJobTables, type JobTables } from './job-tables.ts';

/** Tables of scheduled callbacks, and the tables that looks, offers and calls use besides. */
export interface CallbackTables extends JobTables {
  readonly clock: SettableClock;
  /** Regions by name. */
  readonly regions: Map<string, { epoch: number; active: boolean }>;
  /** Circuits, keyed by `circuitKey`. */
  readonly circuits: Map<string, CircuitRow>;
  /** Nodes by owner. */
  readonly nodes: Map<string, NodeRow>;
  /** Partitions in order. */
  readonly partitions: PartitionRow[];
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
  aliveSinceMs: number;
  expiresAtMs: number;
  figures: Readonly<Record<string, number>>;
  credit: NodeCredit | null;
}

export interface PartitionRow {
  wanted: string | null;
  owner: string | null;
  token: number;
  expiresAtMs: number;
}

export function createCallbackTables(clock: SettableClock, jobTables = createJobTables()): CallbackTables {
  return {
    ...jobTables,
    clock,
    regions: new Map([['local', { epoch: 1, active: true }]]),
    circuits: new Map(),
    nodes: new Map(),
    partitions: Array.from({ length: 64 }, () => ({ wanted: null, owner: null, token: 0, expiresAtMs: 0 })),
  };
}

export function circuitKey(clientId: string, host: string): string {
  return `${clientId}/${host}`;
}
