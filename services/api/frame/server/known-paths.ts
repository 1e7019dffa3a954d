import type { RouteOptions } from 'fastify';

/** Registered paths of a server, and the methods of each path. */
export interface KnownPaths {
  /** Returns the methods of the most specific path that matches; an empty list if no path matches. */
  methodsAt(path: string): string[];
  /**
   * Returns true if a request for a path without parameters, such as `/jobs/find`, was routed to a path with a
   * parameter, such as `/jobs/:id`. The router does so if the first path has no route for the method.
   */
  isSibling(url: string | undefined, params: unknown): boolean;
}

interface RouteSource {
  addHook(name: 'onRoute', hook: (route: Pick<RouteOptions, 'method' | 'url'>) => void): unknown;
}

/** Records each route that is registered after this call. */
export function rememberPaths(server: RouteSource): KnownPaths {
  const methodsByPattern = new Map<string, Set<string>>();
  const patternsByLength = new Map<number, string[][]>();
  const siblings = new Map<string, Condition[]>();
  server.addHook('onRoute', ({ method, url }) => {
    const methods = methodsByPattern.get(url) ?? new Set();
    if (!methodsByPattern.has(url)) addSiblings(url);
    methodsByPattern.set(url, methods);
    for (const each of [method].flat()) methods.add(each);
  });

  function addSiblings(url: string): void {
    const parts = url.split('/');
    const others = patternsByLength.get(parts.length) ?? [];
    patternsByLength.set(parts.length, [...others, parts]);
    for (const other of others) {
      addSibling(parts, other);
      addSibling(other, parts);
    }
  }

  function addSibling(open: readonly string[], fixed: readonly string[]): void {
    const condition = conditionOf(open, fixed);
    const url = open.join('/');
    if (condition) siblings.set(url, [...(siblings.get(url) ?? []), condition]);
  }

  return {
    methodsAt: (path) => {
      const found = [...methodsByPattern.keys()].filter((pattern) => fits(pattern, path));
      const [best] = found.map(rankOf).sort().reverse();
      const methods = found
        .filter((pattern) => rankOf(pattern) === best)
        .flatMap((pattern) => [...(methodsByPattern.get(pattern) ?? [])]);
      return [...new Set(methods)].sort();
    },
    isSibling: (url, params) => {
      const conditions = url === undefined ? undefined : siblings.get(url);
      if (conditions === undefined) return false;
      const values = new Map<string, unknown>(Object.entries(params ?? {}));
      return conditions.some((condition) => condition.every(([name, value]) => values.get(name) === value));
    },
  };
}

/** Values of parameters with which a path equals another registered path. */
type Condition = [name: string, value: string][];

/** Returns the values of parameters with which `open` equals `fixed`; undefined if there are none. */
function conditionOf(open: readonly string[], fixed: readonly string[]): Condition | undefined {
  const condition: Condition = [];
  for (const [index, part] of open.entries()) {
    const other = fixed[index] ?? '';
    if (part === other || (isParameter(part) && isParameter(other))) continue;
    if (!isParameter(part) || other === '*') return undefined;
    condition.push([part.slice(1), other]);
  }
  return condition.length > 0 ? condition : undefined;
}

/** Returns a sort key: like in the router, static parts precede parameters, and parameters precede a wildcard. */
function rankOf(pattern: string): string {
  return pattern
    .split('/')
    .map((part) => (part === '*' ? '0' : isParameter(part) ? '1' : '2'))
    .join('');
}

function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const anything = wanted.indexOf('*');
  if (anything < 0 && wanted.length !== given.length) return false;
  const compared = anything < 0 ? wanted : wanted.slice(0, anything);
  return compared.every((part, index) => (isParameter(part) ? given[index] !== '' : part === given[index]));
}

const isParameter = (part: string) => part.startsWith(':');
