import type { DurationBuckets } from '../domain/job/call-durations.ts';

/** An owner whose last beat is so old is dead, in milliseconds: others may take what it claimed. */
export const deadAfterMs = 10_000;

/** How many references to jobs may be sent to a dispatcher. */
export interface NodeCredit {
  /** By client, of those that are at work there. */
  toClients: Readonly<Record<string, number>>;
  /** Of each other client. */
  toAnyClient: number;
}

/** What a dispatcher does of one outlet: of a client, or of an endpoint of one. */
export interface OutletCalls {
  /** Being called. */
  underWay: number;
  /** That may be called at once: its part of what all dispatchers may. */
  slots: number;
  /** Calls that ended in the last minute, whatever came of them. */
  lastMinute: number;
}

/** How long calls took lately. */
export interface CallDurations {
  /** For so long it has counted: ten minutes or a little more, and less after its start. */
  forMs: number;
  /** Of those that had a call. */
  byOutlet: ReadonlyMap<string, DurationBuckets>;
}

/** A process that schedules or calls jobs, as others see it. */
export interface JobNode {
  owner: string;
  kind: 'scheduler' | 'dispatcher';
  region: string;
  figures: Readonly<Record<string, number>>;
  /** Null: it takes none. */
  credit: NodeCredit | null;
  /** By outlet, of those that are at work there or were in the last minute; absent: as it said last. */
  calls?: Readonly<Record<string, OutletCalls>> | undefined;
  /** Absent: as it said last. */
  durations?: CallDurations | undefined;
}

export interface JobNodes {
  /** Says that it is alive, for so long unless it says so again: what it claimed is its own until then. */
  beat(node: JobNode, ttlMs: number): Promise<void>;
  /** Owners of the dispatchers that are alive and may claim, of all regions, sorted. */
  dispatchers(): Promise<string[]>;
  /** What it claimed and has not ended is free at once. */
  leave(owner: string): Promise<void>;
}
