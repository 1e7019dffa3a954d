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
      return 'limits';
    default:
      return null;
  }
}

/** Where a problem is, in words: `Step 2, template`, `Country 1`, `Pace`. */
export function placeInWords(pointer: string): string {
  const [, field = '', first = '', ...below] = pointer.split('/').map(unescaped);
  const number = Number(first) + 1;
  switch (field) {
    case 'chain': {
      if (first === '') return 'Chain';
      const inside = below.filter((part) => part !== 'params' && part !== 'action').map(inWords);
      return [`Step ${number}`, ...inside].join(', ');
    }
    case 'audience': {
      const [place] = below;
      if (place === undefined) return audienceWords[first] ?? 'Audience';
      return `${audienceWords[first] ?? first}, entry ${Number(place) + 1}`;
    }
    case 'countries':
      return first === '' ? 'Countries' : `Country ${number}`;
    case 'budgets':
      return first === '' ? 'Budgets' : `Budget ${number}`;
    case 'schedule':
      return first === '' ? 'When' : capital([scheduleWords[first] ?? inWords(first), ...below].join(' '));
    case '':
      return 'The campaign';
    default:
      return fieldWords[field] ?? capital(inWords(field));
  }
}

const audienceWords: Readonly<Record<string, string>> = {
  include: 'Include',
  exclude: 'Leave out',
  holdOutPercent: 'Hold out',
  holdOutSeed: 'Hold-out seed',
};

const scheduleWords: Readonly<Record<string, string>> = {
  zones: 'zone of',
  cron: 'rule',
  everySeconds: 'every',
  catchUpSeconds: 'missed start',
};

const fieldWords: Readonly<Record<string, string>> = {
  name: 'Name',
  deadlineSeconds: 'Deadline',
  paceUsersPerSecond: 'Pace',
  pauseAtFailedPercent: 'Pause by itself',
  pauseAtFailedMinUsers: 'Users before it pauses',
  priority: 'Priority',
};

function inWords(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
