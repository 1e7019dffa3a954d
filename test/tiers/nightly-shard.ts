/** `index` counts from 1. */
export interface NightlyShard {
  index: number;
  of: number;
}

export const wholeShard: NightlyShard = { index: 1, of: 1 };

export function shardName({ index, of }: NightlyShard): string {
  return `${index}/${of}`;
}

export function allShards(of: number): string[] {
  return Array.from({ length: of }, (_, index) => shardName({ index: index + 1, of }));
}

/** @throws if the text is no shard, such as `2/8` */
export function readShard(text: string): NightlyShard {
  const [index = 0, of = 0] = text.split('/').map(Number);
  if (!/^\d{1,3}\/\d{1,3}$/.test(text) || index < 1 || index > of)
    throw new Error(`--shard ${text}: has to be one of several, such as 2/8`);
  return { index, of };
}

/** Deals out the items so that all shards take about equally long: the longest first, to the shard with least so far. */
export function itemsOfShard<Item>(
  items: readonly Item[],
  { index, of }: NightlyShard,
  minutesOf: (item: Item) => number,
): Item[] {
  const shards = Array.from({ length: of }, () => ({ minutes: 0, items: new Array<Item>() }));
  for (const item of items.toSorted((a, b) => minutesOf(b) - minutesOf(a))) {
    const least = shards.reduce((found, shard) => (shard.minutes < found.minutes ? shard : found));
    least.items.push(item);
    least.minutes += minutesOf(item);
  }
  return shards[index - 1]?.items ?? [];
}
