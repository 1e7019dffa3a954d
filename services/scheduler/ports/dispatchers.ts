/** A dispatcher that takes jobs, and its room for references to a client's jobs. */
export interface DispatcherCredit {
  owner: string;
  /** Keyed by band (`bandOf`), for clients at work there. */
  toClients: ReadonlyMap<string, number>;
  /** For each other band. */
  toAnyClient: number;
}

export interface Dispatchers {
  /** Returns the latest reports of a region's live dispatchers that take jobs. */
  credit(region: string): Promise<DispatcherCredit[]>;
}
