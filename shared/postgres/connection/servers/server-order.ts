import type { DatabaseServer } from '../../../runtime/configuration/database-url.ts';

/** In which order a process tries its servers: the one that was right last, then the others as the URL names them. */
export interface ServerOrder {
  /** Of those that were not passed over since one was right; of all again, where each was. */
  next(): DatabaseServer;
  passedOver(server: DatabaseServer): void;
  /** Returns whether it is another one than before. */
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
