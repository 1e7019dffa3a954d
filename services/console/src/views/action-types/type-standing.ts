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
export function findTroubles(
  { name, refusals }: Pick<ListedActionType, 'name' | 'refusals'>,
  shards: readonly Shard[],
): TypeTrouble[] {
  const refused = refusals.map(({ country, cause }): TypeTrouble => {
    return { shard: `${name}.${country}`, country, tone: 'bad', cause: `no worker can run it: ${cause}` };
  });
  const found = shards
    .filter(({ actionType, country }) => actionType === name && !refusals.some((each) => each.country === country))
    .flatMap((shard): TypeTrouble[] => {
      const { id, country, breaker, endpoint } = shard;
      const shardOfTrouble = { shard: id, country };
      if (isUnserved(shard)) return [{ ...shardOfTrouble, tone: 'bad', cause: unservedCause(shard) }];
      if (breaker === 'open') {
        return [
          {
            ...shardOfTrouble,
            tone: 'bad',
            cause: `the breaker is open: ${endpoint?.cause ?? 'its endpoint is down'}`,
          },
        ];
      }
      if (breaker === 'slow-start')
        return [{ ...shardOfTrouble, tone: 'warn', cause: 'its endpoint has just recovered' }];
      return [];
    });
  return [...refused, ...found].sort(
    (a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad') || (a.country < b.country ? -1 : 1),
  );
}

/** Returns the badge of a type: whether it can run. */
export function findTypeLook(type: ListedActionType, shards: readonly Shard[]): StateLook {
  if (!type.enabled) return { icon: 'paused', word: 'Disabled', tone: 'idle' };
  const typeShards = shards.filter(({ actionType }) => actionType === type.name);
  if (typeShards.some(isUnserved) || type.refusals.length > 0)
    return { icon: 'failed', word: 'No worker runs it', tone: 'bad' };
  const open = typeShards.filter(({ breaker }) => breaker === 'open').length;
  if (open > 0) return { icon: 'open', word: open === typeShards.length ? 'Down' : 'Partly down', tone: 'bad' };
  if (typeShards.some(({ breaker }) => breaker === 'slow-start'))
    return { icon: 'half', word: 'Recovering', tone: 'warn' };
  if (type.check) return { icon: 'done', word: 'Check', tone: 'ok' };
  return typeShards.length === 0
    ? { icon: 'pending', word: 'Not used yet', tone: 'idle' }
    : { icon: 'done', word: 'In use', tone: 'ok' };
}

export function matchesSearch(
  type: ListedActionType,
  shards: readonly Shard[],
  { text, show }: ActionTypesSearch,
): boolean {
  const names = `${type.name} ${type.title}`.toLowerCase();
  if (text !== undefined && !names.includes(text.toLowerCase())) return false;
  switch (show) {
    case undefined:
      return true;
    case 'trouble':
      return findTroubles(type, shards).length > 0;
    case 'off':
      return !type.enabled;
    case 'checks':
      return type.check;
  }
}
