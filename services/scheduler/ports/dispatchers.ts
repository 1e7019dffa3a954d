/** A dispatcher that takes jobs, and how many references to a client's jobs it has room for. */
export interface DispatcherCredit {
  owner: string;
  /** By band (`bandOf`), of clients that are at work there. */
  toClients: ReadonlyMap<string, number>;
  /** For each other band. */
  toAnyClient: number;
}

export interface Dispatchers {
  /** Those of a region that are alive and take jobs, as they said last. */
  credit(region: string): Promise<DispatcherCredit[]>;
}
