import type { Change } from '#client/types.gen.ts';

/** What was done, from its route: `start campaign`, `create audience`, `change shard`. */
export function changeInWords({ method, route }: Pick<Change, 'method' | 'route'>): string {
  const parts = route.split('/').filter((part) => part !== '' && part !== 'v1');
  const named = parts.findIndex((part) => part.startsWith(':') || part.startsWith('{'));
  const noun = singular(parts[0] ?? route);
  const below = named < 0 ? parts.slice(1) : parts.slice(named + 1);
  const verb = below.at(-1);
  if (verb === undefined)
    return `${verbs[method] ?? method.toLowerCase()} ${method === 'GET' ? parts.join(' ').replaceAll('-', ' ') : noun}`;
  if (method === 'GET') return `export ${verb.replaceAll('-', ' ')} of ${noun}`;
  const isVerb = method === 'POST' && !verb.endsWith('s');
  return isVerb ? `${verb.replaceAll('-', ' ')} ${noun}` : `${verbs[method] ?? 'change'} ${singular(verb)} of ${noun}`;
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'replace',
  PATCH: 'change',
  DELETE: 'delete',
  GET: 'export',
};

function singular(noun: string): string {
  const words = noun.replaceAll('-', ' ');
  return words.endsWith('s') ? words.slice(0, -1) : words;
}

/** `reason: wrong template · state: pausing`; nested values as JSON. */
export function detailInWords(detail: Change['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');
}

/** How a change ended, by the status of its answer. */
export function endOfChange(status: number): { isDone: boolean; words: string } {
  if (status < 300) return { isDone: true, words: 'done' };
  return { isDone: false, words: status === 409 ? 'refused by its state' : `refused, ${status}` };
}
