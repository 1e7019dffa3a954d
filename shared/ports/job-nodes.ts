/** A process that schedules or calls jobs, as others see it. */
export interface JobNode {
  owner: string;
  kind: 'scheduler' | 'dispatcher';
  region: string;
  figures: Readonly<Record<string, number>>;
}

export interface JobNodes {
  /** Tells that it is alive, for so long unless it tells again. */
  beat(node: JobNode, ttlMs: number): Promise<void>;
  leave(owner: string): Promise<void>;
}
