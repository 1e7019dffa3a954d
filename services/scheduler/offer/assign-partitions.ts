import { hash } from 'node:crypto';

/**
 * Maximum number of partitions that move between live schedulers in one round. The number is small, because the new
 * owner has to read a partition from its beginning.
 */
const maxMoves = 16;

/**
 * Assigns partitions to nodes (schedulers) by rendezvous hashing with an upper bound per node. When a node joins or
 * leaves, few partitions move between other nodes. Partitions without a live node are assigned at once. Of the others,
 * at most `maxMoves` get another node per round.
 * @param current by partition, the node to which the partition is assigned; null if there is none
 * @returns by partition, the node; null if there are no nodes
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
