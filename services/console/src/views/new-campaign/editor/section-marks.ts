import { sectionOf, type Section } from '../review/problem-places.ts';

/** How a part of the form stands. `open`: it is not complete, and nothing is called wrong before one tries to start. */
export type Mark = 'done' | 'wrong' | 'warned' | 'open';

interface Findings {
  problems: readonly { pointer: string }[];
  warnings: readonly { pointer: string }[];
  /** Saving or starting was tried. */
  isTried: boolean;
}

export function marksOf({ problems, warnings, isTried }: Findings): Record<Section, Mark> {
  const markOf = (section: Section): Mark => {
    if (problems.some(({ pointer }) => sectionOf(pointer) === section)) return isTried ? 'wrong' : 'open';
    return warnings.some(({ pointer }) => sectionOf(pointer) === section) ? 'warned' : 'done';
  };
  return { audience: markOf('audience'), chain: markOf('chain'), when: markOf('when'), limits: markOf('limits') };
}
