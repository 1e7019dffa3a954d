import { sectionOf, type Section } from '../form/problem-places.ts';

/**
 * State of a section in the list of sections. `open` means incomplete: the problem is not shown until the user tries to
 * start.
 */
export type Mark = 'done' | 'wrong' | 'warned' | 'open';

interface Findings {
  problems: readonly { pointer: string }[];
  warnings: readonly { pointer: string }[];
  isTried: boolean;
}

export function marksOf({ problems, warnings, isTried }: Findings): Record<Section, Mark> {
  const markOf = (section: Section): Mark => {
    if (problems.some(({ pointer }) => sectionOf(pointer) === section)) return isTried ? 'wrong' : 'open';
    return warnings.some(({ pointer }) => sectionOf(pointer) === section) ? 'warned' : 'done';
  };
  return { audience: markOf('audience'), chain: markOf('chain'), when: markOf('when'), limits: markOf('limits') };
}
