/** A part of the nightly run as it last was. */
export interface NightlyPart {
  name: string;
  /** When, at which commit and for how long. */
  lastRun: string;
  passed: boolean;
  what: string;
  /** Its table or list of results. */
  view: string;
}

interface NeverRun {
  name: string;
  lastRun: null;
}

/** The page in `docs/`, from which the next run reads what it does not run itself. */
export function renderNightlyPage(parts: readonly (NightlyPart | NeverRun)[], machine: string): string {
  const head = [
    '# The nightly run',
    '',
    '`npm run test:nightly` writes this page, and nothing else does: the tests that take hours, each part with',
    'the results of its last run. Faults, mutations and random changes (mutants) are run piece by piece, and each',
    'piece has its own date and commit. A commit with a plus sign had uncommitted changes.',
    ...(parts.some(({ lastRun }) => lastRun !== null)
      ? ['', `On ${machine}, the last time that anything here was run.`]
      : []),
  ];
  return `${[...head, ...parts.flatMap(renderPart)].join('\n')}\n`;
}

function renderPart(part: NightlyPart | NeverRun): string[] {
  if (part.lastRun === null) return ['', `## ${part.name}`, '', 'Never run.'];
  const verdict = part.passed ? 'Passed.' : '**Failed.**';
  const words = [`Last run: ${part.lastRun}.`, '', `${verdict} ${part.what}.`];
  return ['', `## ${part.name}`, '', ...words, '', '```text', part.view.trim(), '```'];
}

const section =
  /^## (?<name>.+)\n\nLast run: (?<lastRun>.+)\.\n\n(?<verdict>Passed\.|\*\*Failed\.\*\*) (?<what>.+)\.\n\n```text\n(?<view>[^]*?)\n?```$/gm;

/** Parses the parts of a page that were ever run. */
export function parseNightlyPage(page: string): NightlyPart[] {
  return [...page.matchAll(section)].map(({ groups = {} }) => {
    const { name = '', lastRun = '', verdict = '', what = '', view = '' } = groups;
    return { name, lastRun, passed: verdict === 'Passed.', what, view };
  });
}
