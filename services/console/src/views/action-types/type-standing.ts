import type { ListedActionType, Shard } from '#client/types.gen.ts';
import { isUnserved, unservedCause } from '../../parts/shards/unserved.ts';
import type { StateLook } from '../../parts/standing/state-looks.ts';
import type { ActionTypesSearch } from './search.ts';

export interface TypeTrouble {
  shard: string;
  country: string;
  /** `bad` means that no call is made. */
  tone: 'bad' | 'warn';
  cause: string;
}

/** Returns the problems of a type: countries without calls first, then those with a limited rate. */
export function troublesOf(
  { name, refusals }: Pick<ListedActionType, 'name' | 'refusals'>,
  shards: readonly Shard[],
): TypeTrouble[] {
  const refused = refusals.map(({ country, cause }): TypeTrouble => {
    return { shard: `${name}.${country}`, country, tone: 'bad', cause: `no worker can take it: ${cause}` };
  });
  const found = shards
    .filter(({ actionType, country }) => actionType === name && !refusals.some((each) => each.country === country))
    .flatMap((shard): TypeTrouble[] => {
      const { id, country, breaker, endpoint } = shard;
      const of = { shard: id, country };
      if (isUnserved(shard)) return [{ ...of, tone: 'bad', cause: unservedCause(shard) }];
      if (breaker === 'open') {
        return [{ ...of, tone: 'bad', cause: `the breaker is open: ${endpoint?.cause ?? 'its endpoint is down'}` }];
      }
      if (breaker === 'slow-start') return [{ ...of, tone: 'warn', cause: 'its endpoint has just come back' }];
      return [];
    });
  return [...refused, ...found].sort(
    (a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad') || (a.country < b.country ? -1 : 1),
  );
}

/** Returns the badge of a type: whether it can run. */
export function lookOfType(type: ListedActionType, shards: readonly Shard[]): StateLook {
  if (!type.enabled) return { icon: 'paused', word: 'Switched off', tone: 'idle' };
  const own = shards.filter(({ actionType }) => actionType === type.name);
  if (own.some(isUnserved) || type.refusals.length > 0)
    return { icon: 'failed', word: 'No worker takes it', tone: 'bad' };
  const open = own.filter(({ breaker }) => breaker === 'open').length;
  if (open > 0) return { icon: 'open', word: open === own.length ? 'Down' : 'Down in part', tone: 'bad' };
  if (own.some(({ breaker }) => breaker === 'slow-start')) return { icon: 'half', word: 'Coming back', tone: 'warn' };
  if (type.check) return { icon: 'done', word: 'A check', tone: 'ok' };
  return own.length === 0
    ? { icon: 'pending', word: 'Not used yet', tone: 'idle' }
    : { icon: 'done', word: 'In use', tone: 'ok' };
}

export function fitsType(type: ListedActionType, shards: readonly Shard[], { text, show }: ActionTypesSearch): boolean {
  const names = `${type.name} ${type.title}`.toLowerCase();
  if (text !== undefined && !names.includes(text.toLowerCase())) return false;
  switch (show) {
    case undefined:
      return true;
    case 'trouble':
      return troublesOf(type, shards).length > 0;
    case 'off':
      return !type.enabled;
    case 'checks':
      return type.check;
  }
}
