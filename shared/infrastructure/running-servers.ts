/** A Kafka cluster and an empty PostgreSQL database that take requests. */
export interface RunningServers {
  /** One line for the person who started them, without secrets. */
  description: string;
  databaseUrl: string;
  /** `host:port` each. */
  brokers: string[];
  /** Ends what was started here; external servers are left alone. Safe to call twice. */
  stop(): Promise<void>;
}
