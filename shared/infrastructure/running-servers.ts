export interface RunningServers {
  /** One line for the person who started them, without secrets. */
  description: string;
  databaseUrl: string;
  /** `host:port` each. */
  brokers: string[];
  /** Ends the servers that were started here; external servers keep running. May be called twice. */
  stop(): Promise<void>;
}
