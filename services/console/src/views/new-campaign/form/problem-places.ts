export interface PlacedProblem {
  pointer: string;
  /** Code of the API; undefined for a problem that the console itself has found. */
  code?: string;
  detail: string;
}

export const sections = ['audience', 'chain', 'when', 'limits'] as const;
export type Section = (typeof sections)[number];

export const sectionNames: Readonly<Record<Section, string>> = {
  audience: 'Audience',
  chain: 'Chain',
  when: 'When',
  limits: 'Limits',
};

/**
 * Groups problems by the field that shows them: the field of the problem's pointer, or the field of the nearest
 * enclosing pointer. Problems without a field are grouped under the empty pointer.
 * @param fields pointers of all fields on the page
 */
export function groupProblems<Problem extends PlacedProblem>(
  problems: readonly Problem[],
  fields: ReadonlySet<string>,
): Map<string, Problem[]> {
  return Map.groupBy(problems, ({ pointer }) => findField(pointer, fields));
}

export function findField(pointer: string, fields: ReadonlySet<string>): string {
  if (pointer === '' || fields.has(pointer)) return pointer;
  return findField(pointer.slice(0, pointer.lastIndexOf('/')), fields);
}

/** Returns the section of a pointer; null for the name, which is above all sections. */
export function sectionOf(pointer: string): Section | null {
  const [, field = ''] = pointer.split('/');
  switch (field) {
    case 'countries':
    case 'audience':
      return 'audience';
    case 'chain':
    case 'splitSeed':
    case 'budgets':
      return 'chain';
    case 'schedule':
      return 'when';
    case 'deadlineSeconds':
    case 'priority':
    case 'paceUsersPerSecond':
    case 'pauseAtFailedPercent':
    case 'pauseAtFailedMinUsers':
    case 'canary':
      return 'limits';
    default:
      return null;
  }
}
