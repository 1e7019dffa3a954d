import type { Scheduler } from '#client/types.gen.ts';

export type Node = Scheduler['nodes'][number];
export type Region = Scheduler['regions'][number];
type Partition = Scheduler['partitions'][number];

export interface NodeLook {
  node: Node;
  leads: string[];
  /** Due jobs in the partitions of the node. */
  due: number;
  oldestMs: number;
}

export interface RegionLook {
  region: Region;
  nodes: NodeLook[];
  partitions: number;
}

/** Returns the regions with their nodes, schedulers first. Nodes of unknown regions are missing. */
export function regionLooks({ regions, nodes, leaders, partitions }: Scheduler): RegionLook[] {
  return regions.map((region) => {
    const inRegion = nodes.filter((node) => node.region === region.name);
    const looks = inRegion.map((node) => {
      const own = partitions.filter(({ owner }) => owner === node.owner);
      return {
        node,
        leads: leaders.filter(({ owner }) => owner === node.owner).map(({ name }) => leaderWords[name] ?? name),
        due: own.reduce((sum, { due }) => sum + due, 0),
        oldestMs: Math.max(0, ...own.map(({ oldestMs }) => oldestMs)),
      };
    });
    const inOrder = looks.toSorted((a, b) => (a.node.kind === b.node.kind ? 0 : a.node.kind === 'scheduler' ? -1 : 1));
    return { region, nodes: inOrder, partitions: inRegion.reduce((sum, node) => sum + node.partitions, 0) };
  });
}

const leaderWords: Readonly<Record<string, string>> = {
  scheduler: 'schedules',
  'job-partitions': 'partitions',
};

/** Shortens the name of a node: `east-1 …ec7325` for `scheduler@east-1/01a2…ec7325`. */
export function nodeName(owner: string): string {
  const [, host, id] = /^[^@/]+@([^/]+)\/(.+)$/.exec(owner) ?? [];
  return host === undefined || id === undefined ? owner : `${host} …${id.slice(-6)}`;
}

export interface PartitionCell {
  partition: number;
  /** Letter of the owner: `a` for the first scheduler; empty without an owner. */
  letter: string;
  isMoving: boolean;
  /** Due jobs of the partition, up to the limit of the count. */
  due: number;
}

/** Returns the partitions with their owners, each owner with a letter. */
export function partitionMap(partitions: readonly Partition[]): {
  cells: PartitionCell[];
  owners: { letter: string; owner: string; partitions: number }[];
} {
  const names = [...new Set(partitions.flatMap(({ owner }) => owner ?? []))].sort();
  const letterOf = (owner: string | null) => (owner === null ? '' : letterAt(names.indexOf(owner)));
  return {
    cells: partitions.map(({ partition, owner, wanted, due }) => {
      return { partition, letter: letterOf(owner), isMoving: wanted !== null, due };
    }),
    owners: names.map((owner, index) => ({
      letter: letterAt(index),
      owner,
      partitions: partitions.filter((each) => each.owner === owner).length,
    })),
  };
}

/** Returns `a` to `z`, then `a2`. */
function letterAt(index: number): string {
  const letter = String.fromCharCode(97 + (index % 26));
  return index < 26 ? letter : `${letter}${Math.floor(index / 26) + 1}`;
}
