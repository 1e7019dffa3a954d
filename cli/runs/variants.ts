import type { RateDifference, RunProgress, RunReport, StepLine } from '../../sdk/generated/types.gen.ts';
import { count } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { moneyText, nameWithShare } from '../show/render-estimate.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';

type Figure = keyof Omit<StepLine, 'step' | 'action' | 'mode' | 'receipts'>;

/** Figures that are always shown; `rare` figures are shown only if users have them. */
const usual: readonly Figure[] = ['audience', 'succeeded', 'failed', 'skipped'];
const rare: readonly Figure[] = ['suppressed', 'heldOut', 'expired', 'cancelled', 'unknown', 'pending'];
const titles: Partial<Record<Figure, string>> = { heldOut: 'held out' };
const receiptColumns = ['delivered', 'undelivered', 'awaiting'] as const;

/** Renders the figures of each variant by step. The variants of a step add up to the step. */
export function variantsTable({ steps, variants }: RunReport, paint: Paint, width: number): string {
  const lines = variants.flatMap((variant) => variant.steps);
  if (lines.length === 0) return '';
  const figures = [...usual, ...rare.filter((figure) => lines.some((line) => line[figure] !== 0))];
  const receipts = lines.some((line) => line.receipts) ? receiptColumns : [];
  const columns: Column[] = [
    { title: 'step', align: 'left' },
    { title: 'variant', align: 'left', cut: true },
    ...[...figures.map((figure) => titles[figure] ?? figure), ...receipts].map((title): Column => ({
      title,
      align: 'right',
    })),
  ];
  const rows = steps.flatMap(({ step, action }) =>
    variants.flatMap((variant, index) =>
      variant.steps
        .filter((line) => line.step === step)
        .map((line) => [
          index === 0 ? `${step} ${oneLine(action)}` : '',
          oneLine(nameWithShare(variant)),
          ...figures.map((figure) => count(line[figure])),
          ...receipts.map((name) => (line.receipts ? count(line.receipts[name]) : '')),
        ]),
    ),
  );
  return renderTable(columns, rows, paint, width);
}

/** Says which variant the users outside the canary get; empty if the run has no such choice. */
export function choiceText({ runId, canary, variantChoice, undecidedUsers }: RunReport): string {
  if (!variantChoice) return '';
  const { chosen, options } = variantChoice;
  if (chosen !== null) return `  all users outside the canary get the chosen variant ${oneLine(chosen)}\n`;
  const others = undecidedUsers === 0 ? 'all users' : `${count(undecidedUsers)} users`;
  const choose = canary === 'waits' ? `: muster run resume ${runId} --variant <name>` : '';
  return `  ${others} outside the canary get ${options.map(oneLine).join(' or ')}, when one is chosen${choose}\n`;
}

/** Renders the cost of each variant; empty if no step costs units. */
export function variantCosts({ variants }: RunReport): string {
  const costs = variants.flatMap(({ name, cost }) =>
    cost ? [`${oneLine(name)} ${count(cost.units)} units${moneyText(cost.amount, cost.currency)}`] : [],
  );
  return costs.length === 0 ? '' : `  cost by variant: ${costs.join(' · ')}\n`;
}

/** Renders a line per difference: `2 send-message delivered: B − A +3.0 points, between +2.7 and +3.4: B is higher`. */
export function differencesText({ differences }: RunReport, paint: Paint): string {
  return differences
    .map((each) => {
      const { step, action, rate, of, against, difference, low, high } = each;
      const decimals = high - low < 0.01 ? 2 : 1;
      const points = (share: number) => pointsText(share, decimals);
      const lead = `${step} ${oneLine(action)} ${rate}: ${oneLine(of)} − ${oneLine(against)} ${points(difference)} points`;
      const verdict = verdictText(each);
      const isOpen = each.verdict === 'too-few-users';
      return `  ${lead}, between ${points(low)} and ${points(high)}: ${isOpen ? paint.faint(verdict) : paint.strong(verdict)}\n`;
    })
    .join('');
}

function pointsText(share: number, decimals: number): string {
  const size = Math.abs(share * 100).toFixed(decimals);
  if (Number(size) === 0) return '0';
  return `${share < 0 ? '−' : '+'}${size}`;
}

function verdictText({ of, verdict, users, neededUsers }: RateDifference): string {
  switch (verdict) {
    case 'higher':
    case 'lower':
      return `${oneLine(of)} is ${verdict}`;
    case 'no-difference':
      return 'no difference that matters';
    case 'too-few-users':
      return neededUsers === null
        ? 'not enough users yet, the rates are equal so far'
        : `not enough users yet, ${count(neededUsers)} needed in each, ${count(users)} so far`;
  }
}

/**
 * Describes the progress of all variants in one line, without held-out users: `A 1,204 of 5,012 · B 1,190 of 4,988
 * through`.
 */
export function variantsLine({ variants }: Pick<RunProgress, 'variants'>): string {
  if (variants.length === 0) return '';
  const each = variants.map(
    ({ name, users, heldOut, steps }) =>
      `${oneLine(name)} ${count(steps.at(-1)?.succeeded ?? 0)} of ${count(users - heldOut)}`,
  );
  return `${each.join(' · ')} through`;
}
