import { joinWords } from '../words/figures.ts';
import { formatCount } from '../words/numbers.ts';
import { outcomeOrder, outcomeWords, outcomesIn, type OutcomeCounts, type OutcomeName } from '../outcomes/outcomes.ts';
import { titleOf } from '../words/action-titles.ts';

/** Number of outcome columns above which the table is too wide beside the other panel. */
const maxColumns = 7;

/**
 * Returns the outcomes that get a column: outcomes that users have, `needed` ones, and then usual ones until the table
 * is full. All other outcomes are 0; a sentence below the table lists them.
 */
export function columnsOf(lines: readonly OutcomeCounts[], needed: readonly OutcomeName[]): OutcomeName[] {
  const usual: readonly OutcomeName[] = ['heldOut', 'skipped', 'suppressed'];
  const columns = new Set(outcomesIn(lines, ['succeeded', 'failed', ...needed]));
  for (const outcome of usual) if (columns.size < maxColumns - 1) columns.add(outcome);
  return outcomeOrder.filter((outcome) => columns.has(outcome));
}

/** A report has a column for every outcome, zeros included, so that readers do not search for missing ones. */
export const reportColumns: readonly OutcomeName[] = outcomeOrder.filter((outcome) => outcome !== 'pending');

/** Returns a sentence such as `Expired, cancelled and unknown are 0.`; empty if every outcome has a column. */
export function describeZeroColumns(columns: readonly OutcomeName[]): string {
  const rest = outcomeOrder.filter((outcome) => !columns.includes(outcome)).map((outcome) => outcomeWords[outcome]);
  if (rest.length === 0) return '';
  const [first = ''] = rest;
  const words = joinWords(rest);
  return `${first.charAt(0).toUpperCase()}${words.slice(1)} ${rest.length === 1 ? 'is' : 'are'} 0.`;
}

/** Width of a letter in a header, in digits. */
const headLetter = 0.98;

/**
 * Returns the width of a column of figures, in digits. The width fits the header, and the largest figure filled up to
 * three digits per group. The width therefore changes when a figure reaches the next thousand or million, not with each
 * digit.
 * @param audience upper bound of the figures
 */
export function figureDigits(head: string, largest: number, audience: number): number {
  const groups = Math.ceil(String(Math.max(1, largest)).length / 3);
  return Math.max(head.length * headLetter, Math.min(4 * groups - 1, formatCount(audience).length));
}

const maxNameLetters = 26;

/** Returns the width of the names' column in digits: the longest name, up to a limit that leaves room for the bar. */
export function nameDigits(steps: readonly { step: number; action: string }[]): number {
  const letters = Math.max(8, ...steps.map(({ step, action }) => `${step}  ${titleOf(action)}`.length));
  return Math.min(letters, maxNameLetters) * 1.05;
}
