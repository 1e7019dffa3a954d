import type { RateDifference, RunReport, RunVariant, StepLine } from '#client/types.gen.ts';
import { formatMoney } from '../money/amounts.ts';
import { outcomeOrder, outcomeWords, type OutcomeName } from '../outcomes/outcomes.ts';
import { capitalize, formatDifference, formatFineShare } from '../words/figures.ts';
import { formatCount } from '../words/numbers.ts';

/** A figure of a step for each variant, in the order of the variants, and then for all of them together. */
export interface FigureRow {
  name: string;
  cells: readonly FigureCell[];
}

interface FigureCell {
  value: string;
  /** Percentage of the number; null if the figure has none. */
  share: string | null;
}

type VariantReport = Pick<RunReport, 'steps' | 'variants' | 'cost'>;

/** Returns the figures of a step: users, outcomes that users have, receipts, and cost. */
export function figuresOfStep({ steps, variants, cost }: VariantReport, step: number): FigureRow[] {
  const groups = [...variants, { steps, ...(cost && { cost }) }];
  const lines = groups.map((group) => group.steps.find((line) => line.step === step));
  const row = (name: string, valueOf: (line: StepLine) => number, shareOf?: ShareOf): FigureRow => ({
    name,
    cells: lines.map((line) => ({
      value: line ? formatCount(valueOf(line)) : '–',
      share: line && shareOf ? formatFineShare(valueOf(line), shareOf(line)) : null,
    })),
  });
  const usual: readonly OutcomeName[] = ['succeeded', 'failed'];
  const outcomes = outcomeOrder.filter((name) => usual.includes(name) || lines.some((line) => line?.[name] !== 0));
  const receipts = (name: 'delivered' | 'undelivered' | 'awaiting') => (line: StepLine) =>
    Math.max(0, line.receipts?.[name] ?? 0);
  return [
    row('Users', ({ audience }) => audience),
    ...outcomes.map((name) =>
      row(capitalize(outcomeWords[name]), (line) => line[name], name === 'succeeded' ? endedUsers : undefined),
    ),
    ...(lines.some((line) => line?.receipts)
      ? [
          row('Delivered', receipts('delivered'), ({ succeeded }) => succeeded),
          row('Undelivered', receipts('undelivered')),
          row('No receipt yet', receipts('awaiting')),
        ]
      : []),
    ...costRow(groups, step),
  ];
}

type ShareOf = (line: StepLine) => number;

/** Returns the users whose step has ended, without held-out users. The differences of rates use them too. */
function endedUsers({ audience, heldOut, pending }: StepLine): number {
  return audience - heldOut - Math.max(0, pending);
}

function costRow(groups: readonly Pick<RunReport, 'cost'>[], step: number): FigureRow[] {
  const costs = groups.map(({ cost }) => {
    const ofStep = cost?.steps.find((each) => each.step === step && each.unitsPerUser > 0);
    if (!cost || !ofStep) return null;
    return formatMoney(ofStep.amount, cost.currency) ?? `${formatCount(ofStep.units)} units`;
  });
  if (costs.every((cost) => cost === null)) return [];
  return [{ name: 'Cost', cells: costs.map((cost) => ({ value: cost ?? '–', share: null })) }];
}

/** Rates of a variant in a step, such as `97.3 % succeeded`. */
export interface StepRates {
  step: number;
  action: string;
  rates: string[];
}

/**
 * Returns the rates of a variant in the steps that the differences compare. Without differences, returns the rate of
 * the last step.
 */
export function ratesOfVariant(
  { steps }: Pick<RunVariant, 'steps'>,
  differences: readonly RateDifference[],
): StepRates[] {
  const compared = new Set(differences.map(({ step }) => step));
  const lines = compared.size === 0 ? steps.slice(-1) : steps.filter(({ step }) => compared.has(step));
  return lines.map((line) => ({
    step: line.step,
    action: line.action,
    rates: [
      `${formatFineShare(line.succeeded, endedUsers(line))} succeeded`,
      ...(line.receipts ? [`${formatFineShare(line.receipts.delivered, line.succeeded)} delivered`] : []),
    ],
  }));
}

export interface DifferenceWords {
  /** Text such as `B − A: +1.2 points`. */
  lead: string;
  /** Text such as `between +0.4 and +2.0`. */
  interval: string;
  verdict: string;
  isDecided: boolean;
}

/** Describes a difference of rates. Text such as `B − A: +1.2 points, between +0.4 and +2.0`. */
export function describeDifference(found: RateDifference): DifferenceWords {
  const { of, against, difference, low, high } = found;
  // Narrow intervals need a second decimal, otherwise both limits would be equal.
  const decimals = high - low < 0.01 ? 2 : 1;
  const points = (share: number) => formatDifference(share * 100, decimals).replace(' ', '');
  return {
    lead: `${of} − ${against}: ${points(difference)} points`,
    interval: `between ${points(low)} and ${points(high)}`,
    verdict: verdictWords(found),
    isDecided: found.verdict !== 'too-few-users',
  };
}

function verdictWords({ of, against, verdict, users, neededUsers }: RateDifference): string {
  switch (verdict) {
    case 'higher':
      return `${of} is higher than ${against}`;
    case 'lower':
      return `${of} is lower than ${against}`;
    case 'no-difference':
      return 'No difference that matters';
    case 'too-few-users':
      return neededUsers === null
        ? 'Not enough users yet: the rates are equal so far'
        : `Not enough users yet: ${formatCount(neededUsers)} needed in each, ${formatCount(users)} so far`;
  }
}

/** Returns the end of an axis around 0 that contains all intervals: 1, 2 or 5 times a power of ten. */
export function axisLimitOf(differences: readonly Pick<RateDifference, 'low' | 'high'>[]): number {
  const widest = Math.max(0.001, ...differences.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)]));
  const power = 10 ** Math.floor(Math.log10(widest));
  const factor = [1, 2, 5, 10].find((each) => each * power >= widest * 0.999_999) ?? 10;
  return Math.min(1, factor * power);
}
