/** Credit of a dispatcher that accepts jobs: how many more references it accepts. */
export interface DispatcherCredit {
  owner: string;
  /** Credit by band (a client and a priority, named by `bandOf`), for clients with work on this dispatcher. */
  toClients: ReadonlyMap<string, number>;
  /** Credit of each band that is not in `toClients`. */
  toAnyClient: number;
}

export interface Dispatchers {
  /** Returns the latest reports of the live dispatchers of a region that accept jobs. */
  credit(region: string): Promise<DispatcherCredit[]>;
}
