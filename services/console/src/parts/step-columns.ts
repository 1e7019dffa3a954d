import { listed } from './figures.ts';
import { outcomeOrder, outcomeWords, outcomesIn, type OutcomeCounts, type OutcomeName } from './outcomes.ts';

/** More columns of outcomes than these make a table of steps too wide beside the other panel. */
const maxColumns = 7;

/**
 * Outcomes that have a column of their own: every one that somebody has, `needed` ones, and of those that are usual as many as there is room
 * for. The rest is 0, and is told as such below the table.
 */
export function columnsOf(lines: readonly OutcomeCounts[], needed: readonly OutcomeName[]): OutcomeName[] {
  const usual: readonly OutcomeName[] = ['heldOut', 'skipped', 'suppressed'];
  const columns = new Set(outcomesIn(lines, ['succeeded', 'failed', ...needed]));
  for (const outcome of usual) if (columns.size < maxColumns - 1) columns.add(outcome);
  return outcomeOrder.filter((outcome) => columns.has(outcome));
}

/** `Expired, cancelled and unknown are 0.`, or nothing where every outcome has its column. */
export function zeroSentence(columns: readonly OutcomeName[]): string {
  const rest = outcomeOrder.filter((outcome) => !columns.includes(outcome)).map((outcome) => outcomeWords[outcome]);
  if (rest.length === 0) return '';
  const [first = ''] = rest;
  const told = listed(rest);
  return `${first.charAt(0).toUpperCase()}${told.slice(1)} ${rest.length === 1 ? 'is' : 'are'} 0.`;
}
