import { createHash } from 'node:crypto';
import { findMutants } from './find-mutants.ts';
import type { Mutant } from './mutant.ts';

/** A part of a draw: the `index`th of `of`, from 1. */
export interface Shard {
  index: number;
  of: number;
}

const rooms = /^(shared\/domain|services\/(worker|trigger|scheduler|dispatcher|api))\//;
/** Processes are assembled there; only whole processes, end to end, run these lines. */
const main = '/main.ts';

/** Lists the changes that a draw chooses from. */
export function listMutants(sources: ReadonlyMap<string, string>): Mutant[] {
  const files = [...sources].filter(([file]) => rooms.test(file) && file.endsWith('.ts') && !file.endsWith(main));
  return files.flatMap(([file, text]) => findMutants(file, text));
}

/** Draws by a digest of seed and place: the same seed gives the same list, and mostly so after the code has changed. */
export function drawMutants(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const drawn = mutants.map((mutant) => ({ mutant, rank: rankOf(mutant, seed) }));
  return drawn
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

export function shardOf<Value>(drawn: readonly Value[], { index, of }: Shard): Value[] {
  return drawn.filter((_, place) => place % of === index - 1);
}

function rankOf({ file, start, kind }: Mutant, seed: number): string {
  return createHash('sha256').update(`${seed}:${file}:${start}:${kind}`).digest('hex');
}
