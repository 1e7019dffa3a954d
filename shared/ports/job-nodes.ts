/** How many references to jobs may be sent to a dispatcher. */
export interface NodeCredit {
  /** By client, of those that are at work there. */
  toClients: Readonly<Record<string, number>>;
  /** Of each other client. */
  toAnyClient: number;
}

/** A process that schedules or calls jobs, as others see it. */
export interface JobNode {
  owner: string;
  kind: 'scheduler' | 'dispatcher';
  region: string;
  figures: Readonly<Record<string, number>>;
  /** Null: it takes none. */
  credit: NodeCredit | null;
}

export interface JobNodes {
  /** Tells that it is alive, for so long unless it tells again. */
  beat(node: JobNode, ttlMs: number): Promise<void>;
  leave(owner: string): Promise<void>;
}
