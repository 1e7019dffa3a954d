import { createRouteLines, type RouteLines, type RouteLinesDeps } from './route-lines.ts';

/** Upper bound on outlets plus their routes in memory: each takes about 2 KB. */
const maxRemembered = 20_000;

/** Routes by outlet. The least recently used outlets are dropped first. */
export interface RouteMemory {
  of(outletId: string): RouteLines;
  /** Number of outlets, plus the routes of all of them. */
  readonly size: number;
}

export function createRouteMemory(deps: RouteLinesDeps): RouteMemory {
  const outlets = new Map<string, RouteLines>();
  let size = 0;

  function makeRoom(wanted: string): void {
    for (const [outletId, { size: ofOutlet }] of outlets) {
      if (size <= maxRemembered) return;
      if (outletId === wanted) continue;
      outlets.delete(outletId);
      size -= 1 + ofOutlet;
    }
  }

  function create(outletId: string): RouteLines {
    size++;
    makeRoom(outletId);
    const routes = createRouteLines(deps, () => {
      if (outlets.get(outletId) !== routes) return;
      size++;
      makeRoom(outletId);
    });
    return routes;
  }

  return {
    of: (outletId) => {
      const routes = outlets.get(outletId) ?? create(outletId);
      outlets.delete(outletId);
      outlets.set(outletId, routes);
      return routes;
    },
    get size() {
      return size;
    },
  };
}
