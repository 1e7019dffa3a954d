import { hash } from 'node:crypto';

/** Partitions that are taken from a scheduler that lives, in one go: hand-overs cost a look from the beginning. */
const maxMoves = 16;

/**
 * Who is to look at which partition: rendezvous hashing with a bound, so that each has its share to one, and who joins
 * or leaves moves little else. What no live node looks at is given away at once; of the rest at most `maxMoves` change
 * hands, the others follow.
 *
 * @param current by partition, the node that has it or is to have it; null when none
 * @returns by partition; null when there is no node at all
 */
export function assignPartitions(nodes: readonly string[], current: readonly (string | null)[]): (string | null)[] {
  if (nodes.length === 0) return current.map(() => null);
  const alive = new Set(nodes);
  const target = rendezvous(nodes, current.length);
  let moves = 0;
  return current.map((before, partition) => {
    const wanted = target[partition] ?? null;
    if (before === null || !alive.has(before) || before === wanted) return wanted;
    if (moves >= maxMoves) return before;
    moves++;
    return wanted;
  });
}

/** Each partition to the one that it ranks highest of those that have room. */
function rendezvous(nodes: readonly string[], partitions: number): string[] {
  const most = Math.ceil(partitions / nodes.length);
  const loads = new Map(nodes.map((node) => [node, 0]));
  return Array.from({ length: partitions }, (_, partition) => {
    const ranked = nodes
      .map((node) => ({ node, rank: hash('sha256', `${node}/${partition}`) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1));
    const chosen = ranked.find(({ node }) => (loads.get(node) ?? 0) < most)?.node ?? nodes[0] ?? '';
    loads.set(chosen, (loads.get(chosen) ?? 0) + 1);
    return chosen;
  });
}
