/** Which field of the form a problem is shown at. */
export interface PlacedProblem {
  /** JSON pointer into the definition. */
  pointer: string;
  /** As the API has it; none of what the console itself found. */
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
 * Problems by the pointer of the field that shows them: the field that is meant, else the nearest around it. What
 * nothing is around stands under the empty pointer.
 * @param fields pointers of all fields on the page
 */
export function placeProblems<Problem extends PlacedProblem>(
  problems: readonly Problem[],
  fields: ReadonlySet<string>,
): Map<string, Problem[]> {
  return Map.groupBy(problems, ({ pointer }) => fieldAround(pointer, fields));
}

export function fieldAround(pointer: string, fields: ReadonlySet<string>): string {
  if (pointer === '' || fields.has(pointer)) return pointer;
  return fieldAround(pointer.slice(0, pointer.lastIndexOf('/')), fields);
}

/** The part of the page that a pointer is in; the name stands above them all. */
export function sectionOf(pointer: string): Section | null {
  const [, field = ''] = pointer.split('/');
  switch (field) {
    case 'countries':
    case 'audience':
      return 'audience';
    case 'chain':
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
