import { createChance, type Chance } from '../simulation/seeded.ts';

/** Faults by what they affect. Two faults of the same group would interfere. */
export const faultGroups = {
  workers: ['worker killed', 'worker stopped', 'worker frozen', 'all workers killed'],
  triggers: ['trigger killed', 'trigger frozen', 'scheduler killed', 'api killed'],
  kafka: ['broker killed', 'broker restarted', 'broker frozen', 'controller killed'],
  postgres: [
    ...['Postgres crashed', 'Postgres restarted', 'Postgres frozen', 'sessions terminated'],
    ...['table locked', 'network to Postgres cut', 'network to Postgres slow'],
  ],
  topics: ['topic deleted', 'topic unwritable', 'poison'],
  manager: ['run paused'],
  endpoints: [
    ...['answers lost', 'half answers', 'applied and 500', 'endpoint busy', 'endpoint hangs'],
    ...['users left out', 'users to be retried', 'segmentation unavailable'],
  ],
} as const;

type Groups = typeof faultGroups;
export type FaultGroup = keyof Groups;
export type FaultKind = Groups[FaultGroup][number];

export interface PlannedFault {
  kind: FaultKind;
  /** Number from 0 to 999 that selects one of several processes, topics or tables. */
  which: number;
  lastsMs: number;
}

/** Faults of one moment, and the time without faults after it. */
export interface PlannedMoment {
  faults: readonly PlannedFault[];
  restMs: number;
}

const groups: readonly FaultGroup[] = ['workers', 'triggers', 'kafka', 'postgres', 'topics', 'manager', 'endpoints'];
/** Share of moments with two faults. */
const pairShare = 0.3;
const shortestMs = 2000;
const longestMs = 12_000;
const longestRestMs = 5000;

/** Generates the endless random mix of faults, which depends only on the seed, however long the faults take. */
export function* planOf(seed: number): Generator<PlannedMoment, never> {
  const chance = createChance(seed);
  for (;;) {
    const first = chance.pick(groups);
    const faults = [faultOf(first, chance)];
    if (chance.happens(pairShare)) {
      const others = groups.filter((group) => group !== first);
      faults.push(faultOf(chance.pick(others), chance));
    }
    yield { faults, restMs: 500 + chance.below(longestRestMs) };
  }
}

function faultOf(group: FaultGroup, chance: Chance): PlannedFault {
  const kinds: readonly FaultKind[] = faultGroups[group];
  return {
    kind: chance.pick(kinds),
    which: chance.below(1000),
    lastsMs: shortestMs + chance.below(longestMs - shortestMs),
  };
}

export function describeMoment({ faults }: PlannedMoment): string {
  return faults
    .map(({ kind, which, lastsMs }) => `${kind} (${which}) for ${(lastsMs / 1000).toFixed(1)} s`)
    .join(' beside ');
}
