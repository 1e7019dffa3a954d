import { sectionOf, type Section } from '../review/problem-places.ts';

/** Mark of a section. `open`: it is incomplete, but no problem is shown before the user tries to start. */
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
