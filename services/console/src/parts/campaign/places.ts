/** Names the part of a definition at a JSON pointer: `Step 2, template`, `Country 1`, `Pace`. */
export function formatPlace(pointer: string): string {
  const [, field = '', first = '', ...below] = pointer.split('/').map(unescaped);
  const number = Number(first) + 1;
  switch (field) {
    case 'chain': {
      if (first === '') return 'Chain';
      const [inVariants, place, ...rest] = below;
      if (inVariants === 'variants' && place !== undefined)
        return [
          `Step ${number}`,
          `variant ${Number(place) + 1}`,
          ...(rest[0] === 'weight' ? ['share'] : inStep(rest)),
        ].join(', ');
      return [`Step ${number}`, ...inStep(below)].join(', ');
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
    case 'canary':
      return first === 'then' ? 'After the canary' : 'Canary';
    case 'usersAtMost':
      return `Users in ${first}`;
    case 'schedule':
      return first === '' ? 'When' : capital([scheduleWords[first] ?? inWords(first), ...below].join(' '));
    case '':
      return 'The campaign';
    default:
      return fieldWords[field] ?? capital(inWords(field));
  }
}

function inStep(parts: readonly string[]): string[] {
  return parts.filter((part) => part !== 'params' && part !== 'action').map(inWords);
}

const audienceWords: Readonly<Record<string, string>> = {
  include: 'Include',
  exclude: 'Exclude',
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
  splitSeed: 'Split seed',
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
