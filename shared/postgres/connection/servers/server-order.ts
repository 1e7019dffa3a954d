import type { DatabaseServer } from '../../../runtime/configuration/database-url.ts';

/** Order in which a process tries its servers: the last right server first, then the others as in the URL. */
export interface ServerOrder {
  /** Returns the first server not passed over since one was right; starts over if all were passed over. */
  next(): DatabaseServer;
  passedOver(server: DatabaseServer): void;
  /** Returns true if the right server has changed. */
  wasRight(server: DatabaseServer): boolean;
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
    passedOver: (server) => void passed.add(server),
    wasRight: (server) => {
      const isOther = server !== last;
      last = server;
      passed.clear();
      return isOther;
    },
  };
}
