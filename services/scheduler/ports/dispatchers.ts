/** Credit of a dispatcher that accepts jobs: the number of references that may be sent to it. */
export interface DispatcherCredit {
  owner: string;
  /** Credit by band (a client and a priority, named by `bandOf`), for clients that have work there. */
  toClients: ReadonlyMap<string, number>;
  /** Credit of every other band. */
  toAnyClient: number;
}

export interface Dispatchers {
  /** Returns the latest reports of a region's live dispatchers that take jobs. */
  credit(region: string): Promise<DispatcherCredit[]>;
}
