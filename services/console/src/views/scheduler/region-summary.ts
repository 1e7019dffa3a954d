import type { Scheduler } from '#client/types.gen.ts';

export type Node = Scheduler['nodes'][number];
export type Region = Scheduler['regions'][number];
type Partition = Scheduler['partitions'][number];

export interface NodeSummary {
  node: Node;
  leads: string[];
  /** Number of due jobs in all partitions of the node. */
  due: number;
  oldestMs: number;
}

export interface RegionSummary {
  region: Region;
  nodes: NodeSummary[];
  partitions: number;
}

/** Returns the regions with their nodes, schedulers first. Nodes of unknown regions are missing. */
export function summarizeRegions({ regions, nodes, leaders, partitions }: Scheduler): RegionSummary[] {
  return regions.map((region) => {
    const inRegion = nodes.filter((node) => node.region === region.name);
    const summaries = inRegion.map((node) => {
      const own = partitions.filter(({ owner }) => owner === node.owner);
      return {
        node,
        leads: leaders.filter(({ owner }) => owner === node.owner).map(({ name }) => leaderWords[name] ?? name),
        due: own.reduce((sum, { due }) => sum + due, 0),
        oldestMs: Math.max(0, ...own.map(({ oldestMs }) => oldestMs)),
      };
    });
    const inOrder = summaries.toSorted((a, b) =>
      a.node.kind === b.node.kind ? 0 : a.node.kind === 'scheduler' ? -1 : 1,
    );
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
  /** Number of due jobs of the partition. The API stops counting at a limit. */
  due: number;
}

/** Returns the partitions, and their owners. Each owner gets a letter. */
export function mapPartitions(partitions: readonly Partition[]): {
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
