import type { DatabaseServer } from '../../../runtime/configuration/database-url.ts';

/**
 * Order in which a process tries its servers: first the last server that was of the wanted kind, then the others as in
 * the URL.
 */
export interface ServerOrder {
  /**
   * Returns the first server that was not skipped since a server was last of the wanted kind. Starts over if all
   * were skipped.
   */
  next(): DatabaseServer;
  skip(server: DatabaseServer): void;
  /** Records that the server is of the wanted kind. Returns true if it differs from the last such server. */
  recordAccepted(server: DatabaseServer): boolean;
}

export function createServerOrder(servers: readonly [DatabaseServer, ...DatabaseServer[]]): ServerOrder {
  let [last] = servers;
  const passed = new Set<DatabaseServer>();
  return {
    next: () => {
      const found = [last, ...servers].find((server) => !passed.has(server));
      if (found !== undefined) return found;
      passed.clear();
      return last;
    },
    skip: (server) => void passed.add(server),
    recordAccepted: (server) => {
      const isOther = server !== last;
      last = server;
      passed.clear();
      return isOther;
    },
  };
}
