import { createRouteLines, type RouteLines, type RouteLinesDeps } from './route-lines.ts';

/** Upper bound on the number of endpoints plus routes in memory. Each takes about 2 KB. */
const maxRemembered = 20_000;

/**
 * State of the routes of each endpoint of a client. If there are too many, the least recently used endpoints
 * are dropped first.
 */
export interface RouteMemory {
  of(endpointId: string): RouteLines;
  /** Number of endpoints, plus the number of their routes. */
  readonly size: number;
}

export function createRouteMemory(deps: RouteLinesDeps): RouteMemory {
  const endpoints = new Map<string, RouteLines>();
  let size = 0;

  function makeRoom(wanted: string): void {
    for (const [endpointId, { size: ofEndpoint }] of endpoints) {
      if (size <= maxRemembered) return;
      if (endpointId === wanted) continue;
      endpoints.delete(endpointId);
      size -= 1 + ofEndpoint;
    }
  }

  function create(endpointId: string): RouteLines {
    size++;
    makeRoom(endpointId);
    const routes = createRouteLines(deps, () => {
      if (endpoints.get(endpointId) !== routes) return;
      size++;
      makeRoom(endpointId);
    });
    return routes;
  }

  return {
    of: (endpointId) => {
      const routes = endpoints.get(endpointId) ?? create(endpointId);
      endpoints.delete(endpointId);
      endpoints.set(endpointId, routes);
      return routes;
    },
    get size() {
      return size;
    },
  };
}
