import { listed } from '../words/figures.ts';
import { formatCount } from '../words/numbers.ts';
import { outcomeOrder, outcomeWords, outcomesIn, type OutcomeCounts, type OutcomeName } from '../outcomes/outcomes.ts';
import { titleOf } from '../words/action-titles.ts';

/** More columns of outcomes than these make a table of steps too wide beside the other panel. */
const maxColumns = 7;

/**
 * Outcomes that have a column of their own: every one that somebody has, `needed` ones, and of those that are usual as
 * many as there is room for. The rest is 0, and is shown as such below the table.
 */
export function columnsOf(lines: readonly OutcomeCounts[], needed: readonly OutcomeName[]): OutcomeName[] {
  const usual: readonly OutcomeName[] = ['heldOut', 'skipped', 'suppressed'];
  const columns = new Set(outcomesIn(lines, ['succeeded', 'failed', ...needed]));
  for (const outcome of usual) if (columns.size < maxColumns - 1) columns.add(outcome);
  return outcomeOrder.filter((outcome) => columns.has(outcome));
}

/** A report has a column for every way to end, zeros too: what is missing in a table is looked for in vain. */
export const reportColumns: readonly OutcomeName[] = outcomeOrder.filter((outcome) => outcome !== 'pending');

/** `Expired, cancelled and unknown are 0.`, or nothing where every outcome has its column. */
export function zeroSentence(columns: readonly OutcomeName[]): string {
  const rest = outcomeOrder.filter((outcome) => !columns.includes(outcome)).map((outcome) => outcomeWords[outcome]);
  if (rest.length === 0) return '';
  const [first = ''] = rest;
  const words = listed(rest);
  return `${first.charAt(0).toUpperCase()}${words.slice(1)} ${rest.length === 1 ? 'is' : 'are'} 0.`;
}

/** Letters of a head, which are small, beside digits. */
const headLetter = 0.98;

/**
 * How wide a column of figures is, in digits: as its head, and as figures up to the next comma. So it changes when a
 * thousandth user fails, and not with each.
 * @param audience no figure is larger
 */
export function figureDigits(head: string, largest: number, audience: number): number {
  const groups = Math.ceil(String(Math.max(1, largest)).length / 3);
  return Math.max(head.length * headLetter, Math.min(4 * groups - 1, formatCount(audience).length));
}

const maxNameLetters = 26;

/** The same for the column of names: as its longest one, until that takes the room of the bar. */
export function nameDigits(steps: readonly { step: number; action: string }[]): number {
  const letters = Math.max(8, ...steps.map(({ step, action }) => `${step}  ${titleOf(action)}`.length));
  return Math.min(letters, maxNameLetters) * 1.05;
}
