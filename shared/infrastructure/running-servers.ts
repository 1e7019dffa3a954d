export interface RunningServers {
  /** Describes the servers in one line, without secrets, for the person who started them. */
  description: string;
  databaseUrl: string;
  /** Addresses of the brokers, each as `host:port`. */
  brokers: string[];
  /** Ends the servers that were started here; external servers keep running. May be called twice. */
  stop(): Promise<void>;
}
