import type { RunReport, StepLine } from '../../sdk/generated/types.gen.ts';
import { isTerminal, type RunState } from '../../shared/domain/run/run-states.ts';
import { budgetColumns } from '../show/budget-columns.ts';
import { moneyText, takesText } from '../show/render-estimate.ts';
import { count, duration } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { oneLine } from '../show/text.ts';
import { renderItems, renderTable, type Column } from '../show/tables.ts';
import { utcDay, utcTime } from '../show/times.ts';
import { choiceText, differencesText, variantCosts, variantsTable } from './variants.ts';

type Outcome = Exclude<keyof StepLine, 'step' | 'action' | 'mode' | 'audience' | 'receipts'>;

/** Outcomes that are always shown; `rare` outcomes are shown only if users have them. */
const usual: readonly Outcome[] = ['succeeded', 'failed', 'skipped'];
const rare: readonly Outcome[] = ['suppressed', 'heldOut', 'expired', 'cancelled', 'unknown', 'pending'];
const titles: Partial<Record<Outcome, string>> = { heldOut: 'held out' };

export function renderReport(report: RunReport, paint: Paint, width = Infinity): string {
  const tables =
    report.audience.counted === 0
      ? []
      : [
          outcomesTable(report, paint, width),
          receiptsTable(report, paint, width),
          variantsTable(report, paint, width),
          differencesText(report, paint),
          choiceText(report),
          failuresTable(report, paint, width),
          unexpectedText(report),
          deletedReceiptsText(report),
          settledText(report),
          forecastText(report),
          costText(report),
          variantCosts(report),
          report.budgets.length === 0 ? '' : renderItems(report.budgets, budgetColumns, { paint, width }),
          retriesText(report, paint),
        ];
  return [heading(report, paint), ...tables, remarks(report, paint), verdict(report, paint)]
    .filter((part) => part !== '')
    .join('\n');
}

function heading(report: RunReport, paint: Paint): string {
  const { campaignName, runId, state, startedAt, endedAt, batches } = report;
  const took = startedAt && endedAt ? `in ${duration((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)}` : '';
  const sent = `${count(batches.fed)} batches${batches.retried > 0 ? `, ${count(batches.retried)} more for retries` : ''}`;
  const facts = [runId, state.replaceAll('_', ' '), took, sent].filter((fact) => fact !== '').join(' · ');
  return `  ${paint.strong(oneLine(campaignName))}\n  ${paint.faint(facts)}\n${pagedSoFar(report)}`;
}

/** Notes that users are still being read page by page, so the figures are incomplete. */
function pagedSoFar({ audience, state }: RunReport): string {
  if (audience.complete || isTerminal(state)) return '';
  const about = audience.estimated === null ? '' : ` of about ${count(audience.estimated)}`;
  return `  ${count(audience.counted)}${about} users paged so far\n`;
}

function outcomesTable({ steps, countries }: RunReport, paint: Paint, width: number): string {
  const all = [...steps, ...countries.flatMap((country) => country.steps)];
  const outcomes = [...usual, ...rare.filter((outcome) => all.some((line) => line[outcome] !== 0))];
  const columns: Column[] = [
    { title: 'step', align: 'left' },
    { title: 'country', align: 'left' },
    ...['audience', ...outcomes.map((outcome) => titles[outcome] ?? outcome)].map((title): Column => ({
      title,
      align: 'right',
    })),
  ];
  const cells = (line: StepLine) => [count(line.audience), ...outcomes.map((outcome) => cellOf(line, outcome, paint))];
  const rows = steps.flatMap((sum) => [
    ...countries.flatMap(({ country, steps: lines }, index) =>
      lines
        .filter(({ step }) => step === sum.step)
        .map((line) => [index === 0 ? `${line.step} ${line.action}` : '', country, ...cells(line)]),
    ),
    ['', 'all', ...cells(sum)].map((cell) => paint.strong(cell)),
  ]);
  return renderTable(columns, rows, paint, width);
}

function cellOf(line: StepLine, outcome: Outcome, paint: Paint): string {
  const value = line[outcome];
  if (value === 0) return paint.faint('0');
  return outcome === 'failed' || outcome === 'unknown' ? paint.bad(count(value)) : count(value);
}

function receiptsTable({ steps, countries }: RunReport, paint: Paint, width: number): string {
  const rows = steps.flatMap((sum) => {
    if (!sum.receipts) return [];
    const ofCountries = countries.flatMap(({ country, steps: lines }) =>
      lines.filter(({ step }) => step === sum.step).map((line) => [country, line] as const),
    );
    return [
      ...ofCountries.map(([country, line], index) => [
        index === 0 ? `${sum.step} ${sum.action}` : '',
        country,
        ...receiptCells(line, paint),
      ]),
      [countries.length === 0 ? `${sum.step} ${sum.action}` : '', 'all', ...receiptCells(sum, paint)].map((cell) =>
        paint.strong(cell),
      ),
    ];
  });
  if (rows.length === 0) return '';
  const columns: Column[] = [
    { title: 'receipts', align: 'left' },
    { title: 'country', align: 'left' },
    ...['accepted', 'delivered', 'undelivered', 'awaiting'].map((title): Column => ({ title, align: 'right' })),
  ];
  return renderTable(columns, rows, paint, width);
}

function receiptCells({ succeeded, receipts }: StepLine, paint: Paint): string[] {
  const { delivered = 0, undelivered = 0, awaiting = 0 } = receipts ?? {};
  return [
    count(succeeded),
    count(delivered),
    undelivered === 0 ? paint.faint('0') : paint.bad(count(undelivered)),
    count(awaiting),
  ];
}

/** Notes receipts of users who failed in the step or are unknown. */
function unexpectedText({ steps }: RunReport): string {
  const users = steps.reduce((sum, { receipts }) => sum + (receipts?.unexpected ?? 0), 0);
  if (users === 0) return '';
  return `  ${count(users)} ${users === 1 ? 'receipt is of a user that' : 'receipts are of users that'} failed, or are unknown: in none of these counts\n`;
}

function deletedReceiptsText({ steps, receiptsDeletedAt }: RunReport): string {
  if (receiptsDeletedAt === null || !steps.some(({ receipts }) => receipts)) return '';
  return `  receipts of single users were deleted on ${utcDay(receiptsDeletedAt)}; these figures stay\n`;
}

const maxSamples = 3;

interface Reason {
  step: number;
  outcome: string;
  reason: string;
  users: number;
  sample: string[];
}

/** Renders failures over all countries, most frequent first, with sample users taken from the countries in turn. */
function failuresTable({ failures }: RunReport, paint: Paint, width: number): string {
  if (failures.length === 0) return '';
  const reasons = new Map<string, Reason>();
  for (const { step, outcome, reason, users, sample } of failures) {
    const key = `${step}/${outcome}/${reason}`;
    const known = reasons.get(key) ?? { step, outcome, reason, users: 0, sample: [] };
    reasons.set(key, { ...known, users: known.users + users, sample: [...known.sample, ...sample.slice(0, 1)] });
  }
  const rows = [...reasons.values()]
    .sort((a, b) => a.step - b.step || b.users - a.users)
    .map(({ step, outcome, reason, users, sample }) => [
      String(step),
      outcome,
      oneLine(reason),
      count(users),
      paint.faint(sample.slice(0, maxSamples).map(oneLine).join('  ')),
    ]);
  const columns: Column[] = [
    { title: 'step', align: 'left' },
    { title: 'outcome', align: 'left' },
    { title: 'reason', align: 'left', cut: true },
    { title: 'users', align: 'right' },
    { title: 'such as', align: 'left' },
  ];
  return renderTable(columns, rows, paint, width);
}

function settledText({ settled = 0 }: RunReport): string {
  if (settled === 0) return '';
  return `  ${count(settled)} unknown ${settled === 1 ? 'outcome was' : 'outcomes were'} settled since; muster run settlements says by whom\n`;
}

function retriesText({ retries }: RunReport, paint: Paint): string {
  if (retries === null) return '';
  const { retried, recovered, failedBefore, failedAfter, runs } = retries;
  const ids = runs.map(({ runId }) => runId).join(', ');
  const sums = `${count(retried)} users tried again, ${count(recovered)} recovered`;
  return `  ${sums}: ${count(failedBefore)} failed before, ${count(failedAfter)} now  ${paint.faint(ids)}\n`;
}

function remarks({ stalled, waitingSince, notes, kind, steps }: RunReport, paint: Paint): string {
  const since = waitingSince === null ? '' : `, since ${utcTime(waitingSince)}`;
  const waits = stalled === null ? [] : [`waits: ${oneLine(stalled)}${since}`];
  const tried = kind === 'test' ? [testText(steps)] : kind === 'dry-run' ? ['a dry run: nobody was called'] : [];
  const lines = [...tried, ...waits, ...notes.map((note) => `note: ${oneLine(note)}`)];
  return lines.map((line) => `  ${paint.accent(line)}\n`).join('');
}

function costText({ cost, kind }: RunReport): string {
  if (!cost) return '';
  const what = `${count(cost.units)} units${moneyText(cost.amount, cost.currency)}`;
  return `  ${kind === 'dry-run' ? 'would cost' : 'cost'} ${what}\n`;
}

function forecastText({ audience, forecast }: RunReport): string {
  if (forecast === null) return '';
  const { takesSeconds, restsOn } = forecast;
  const shared = audience.shared ? `  ${count(audience.shared)} users are in several sources, and count once\n` : '';
  const takes = takesSeconds === null ? 'nothing says how long it takes' : takesText(takesSeconds);
  return `${shared}  ${takes}. ${oneLine(restsOn)}\n`;
}

function testText(steps: RunReport['steps']): string {
  const real = steps.filter(({ mode }) => mode !== 'test').map(({ step, action }) => `${step} ${oneLine(action)}`);
  return real.length === 0 ? 'a test: nobody really got anything' : `a test; for real: ${real.join(', ')}`;
}

function verdict(report: RunReport, paint: Paint): string {
  const { audience, state, stateReason } = report;
  const because = stateReason === null ? '' : `: ${oneLine(stateReason)}`;
  const ending = wasNotCarriedOut(state) ? `  ${paint.bad(`✖ ${state}${because}`)}\n` : '';
  if (audience.counted > 0) return `${ending}${sums(report, paint)}`;
  if (ending !== '' || !isTerminal(state)) return ending;
  return `  ${paint.accent('… nobody')}: the segment held no users\n`;
}

function wasNotCarriedOut(state: RunState): boolean {
  return state === 'failed' || state === 'expired' || state === 'cancelled';
}

function sums({ audience, steps, balanced }: RunReport, paint: Paint): string {
  const open = steps.reduce((sum, { pending }) => sum + Math.abs(pending), 0);
  if (!balanced)
    return `  ${paint.bad('✖ does not balance')}: the outcomes of some step do not add up to its audience\n`;
  if (open > 0)
    return `  ${paint.accent('… balances so far')}: outcomes and pending add up to the audience in every step\n`;
  const users = `each of the ${count(audience.counted)} users has exactly one outcome in every step and country`;
  return `  ${paint.good('✔ balances')}: ${users}\n`;
}
