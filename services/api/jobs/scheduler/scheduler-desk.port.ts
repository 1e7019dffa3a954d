export interface RegionLook {
  name: string;
  epoch: number;
  active: boolean;
  reason: string | null;
  changedAt: Date;
}

export interface NodeLook {
  owner: string;
  kind: 'scheduler' | 'dispatcher';
  region: string;
  startedAt: Date;
  figures: Readonly<Record<string, number>>;
}

export interface PartitionLook {
  partition: number;
  owner: string | null;
  /** Who is to have it, where that is somebody else. */
  wanted: string | null;
  since: Date | null;
  /** Jobs that are due and not called yet; counted up to 1,000. */
  due: number;
  /** For how long the oldest of them has been due, in milliseconds; 0 where there is none. */
  oldestMs: number;
}

export interface HostLook {
  clientId: string;
  host: string;
  state: 'open' | 'closing' | 'disabled';
  cause: string;
  openedAt: Date;
  /** Jobs that wait for it; counted up to 10,000. */
  sidelined: number;
}

export interface SchedulerLook {
  regions: RegionLook[];
  /** Alive. */
  nodes: NodeLook[];
  /** By what they lead. */
  leaders: { name: string; owner: string }[];
  partitions: PartitionLook[];
  /** Hosts that are left alone. */
  hosts: HostLook[];
}

/** How jobs are looked at, offered and called, for people. */
export interface SchedulerDesk {
  look(): Promise<SchedulerLook>;
  /** Makes this region the only one where jobs are offered and claimed. Undefined when there is no such region; again, it changes nothing. */
  switchTo(region: string, reason: string | null): Promise<RegionLook[] | undefined>;
  /** Lets a region take part again. */
  activate(region: string): Promise<RegionLook[] | undefined>;
  /** Brings the jobs of a host back that is left alone. False when it is not. */
  enableHost(clientId: string, host: string): Promise<boolean>;
}
