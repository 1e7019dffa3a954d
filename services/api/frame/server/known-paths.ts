import type { RouteOptions } from 'fastify';

/** Which methods a path takes; none where there is no such path. */
export type MethodsAt = (path: string) => string[];

interface RouteSource {
  addHook(name: 'onRoute', hook: (route: Pick<RouteOptions, 'method' | 'url'>) => void): unknown;
}

/** Remembers every route that is registered after this. */
export function rememberPaths(server: RouteSource): MethodsAt {
  const methodsByPattern = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ method, url }) => {
    const methods = methodsByPattern.get(url) ?? new Set();
    methodsByPattern.set(url, methods);
    for (const each of [method].flat()) methods.add(each);
  });
  return (path) => {
    const found = [...methodsByPattern].filter(([pattern]) => fits(pattern, path));
    return [...new Set(found.flatMap(([, methods]) => [...methods]))].sort();
  };
}

function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const anything = wanted.indexOf('*');
  if (anything < 0 && wanted.length !== given.length) return false;
  const compared = anything < 0 ? wanted : wanted.slice(0, anything);
  return compared.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]));
}
