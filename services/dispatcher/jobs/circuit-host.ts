import type { HeldJob } from './held-job.ts';

/**
 * Under which name a job's host is put aside: host and port of its URL and, where the client names path prefixes, the
 * longest of these that fits. A prefix fits whole elements of a path: `/shop` fits `/shop` and `/shop/7`, not `/shops`.
 */
export function circuitHostOf({ host, path }: Pick<HeldJob, 'host' | 'path'>, pathPrefixes: readonly string[]): string {
  if (pathPrefixes.length === 0) return host;
  const elements = `${path.split('?', 1)[0] ?? ''}/`;
  const fitting = pathPrefixes.filter((prefix) => elements.startsWith(`${prefix}/`));
  return host + fitting.reduce((longest, prefix) => (prefix.length > longest.length ? prefix : longest), '');
}
