import type { DurationBuckets } from '../domain/job/call-durations.ts';

/**
 * Milliseconds after its last heartbeat from which an owner counts as dead. Other nodes may then take over its claims.
 */
export const deadAfterMs = 10_000;

/** Number of job references that may be sent to a dispatcher. */
export interface NodeCredit {
  /** Credit by client, for clients that the dispatcher is working on. */
  toClients: Readonly<Record<string, number>>;
  /** Credit for each other client. */
  toAnyClient: number;
}

/** Calls of a dispatcher for one endpoint: a client, or an endpoint of a client. */
export interface EndpointCalls {
  underWay: number;
  /** Concurrent calls allowed: the dispatcher's share of the limit over all dispatchers. */
  slots: number;
  /** Calls that ended in the last minute, whatever their outcome. */
  lastMinute: number;
}

export interface CallDurations {
  /** Milliseconds covered by the counts: ten minutes or slightly more, less after a start. */
  forMs: number;
  /** Durations of endpoints that had a call. */
  byEndpoint: ReadonlyMap<string, DurationBuckets>;
}

/** A process that schedules or calls jobs, as other processes see it. */
export interface JobNode {
  owner: string;
  kind: 'scheduler' | 'dispatcher';
  region: string;
  figures: Readonly<Record<string, number>>;
  /** Credit of the node; null if the node accepts no references. */
  credit: NodeCredit | null;
  /** Calls by endpoint active now or in the last minute. Undefined means unchanged since the last heartbeat. */
  calls?: Readonly<Record<string, EndpointCalls>> | undefined;
  /** Durations of calls; undefined means unchanged since the last heartbeat. */
  durations?: CallDurations | undefined;
}

export interface JobNodes {
  /** Reports that the node is alive. The node owns its claims for `ttlMs`, unless another heartbeat extends that. */
  beat(node: JobNode, ttlMs: number): Promise<void>;
  /** Returns the owners of all live dispatchers that may claim, of all regions, sorted. */
  dispatchers(): Promise<string[]>;
  /** Releases the claims of the owner that have not ended, at once. */
  leave(owner: string): Promise<void>;
}
