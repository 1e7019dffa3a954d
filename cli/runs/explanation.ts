import type { UserExplanation } from '../../shared/contracts/runs/explanations.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime, utcTimeOfDay } from '../show/times.ts';

type ExplainedStep = UserExplanation['steps'][number];

const left = (title: string): Column => ({ title, align: 'left' });

/** What became of one user: where it is, each step in a line, each call in a line of a table. */
export function renderExplanation(explained: UserExplanation, paint: Paint, width = Infinity): string {
  const { userId, audience, batches, steps } = explained;
  const where = [audience.country, audience.place.replaceAll('-', ' '), oneLine(audience.detail)];
  const lines = [
    `  ${paint.strong(oneLine(userId))}  ${where.filter((part) => part !== null).join(' · ')}`,
    ...(batches.length === 0 ? [] : [`  ${paint.faint(batchesText(batches))}`]),
    ...steps.map((step) => `  ${stepText(step, paint)}`),
  ];
  const calls = callsTable(steps, paint, width);
  return `${lines.join('\n')}\n${calls === '' ? '' : `\n${calls}`}`;
}

function batchesText(batches: UserExplanation['batches']): string {
  const [first, ...children] = batches;
  const then = children.map(({ batchNo, fromStep }) => `${batchNo} from step ${fromStep}`);
  return [`batch ${first?.batchNo ?? ''}`, ...then].join(', then ');
}

function stepText(
  { step, action, outcome, reason, detail, waitsFor, nextAttemptAt, receipt }: ExplainedStep,
  paint: Paint,
): string {
  const why = [reason, detail].filter((part) => part !== null).map(oneLine);
  const waits = outcome === 'pending' && waitsFor !== null ? [`waits for ${oneLine(waitsFor)}`] : [];
  const until = nextAttemptAt === null ? [] : [`next call ${utcTimeOfDay(nextAttemptAt)}`];
  const isBad = outcome === 'failed' || outcome === 'unknown';
  const shown = isBad ? paint.bad(outcome) : outcome === 'succeeded' ? paint.good(outcome) : paint.accent(outcome);
  return [`${step} ${action}: ${shown}`, ...why, ...waits, ...until, ...receiptText(receipt, paint)].join(' · ');
}

function receiptText(receipt: ExplainedStep['receipt'], paint: Paint): string[] {
  if (receipt === null) return [];
  const { status, code, at } = receipt;
  const shown = status === 'delivered' ? paint.good(status) : paint.bad(status);
  return [`${shown}${code === null ? '' : ` (${oneLine(code)})`} at ${utcTimeOfDay(at)}`];
}

function callsTable(steps: readonly ExplainedStep[], paint: Paint, width: number): string {
  const rows = steps.flatMap(({ step, attempts }) =>
    attempts.map(({ attempt, at, batchNo, result, code, message }) => [
      String(step),
      String(attempt),
      `${utcTime(at).slice(0, 10)} ${utcTimeOfDay(at)}`,
      String(batchNo),
      result,
      oneLine(code ?? ''),
      oneLine(message ?? ''),
    ]),
  );
  if (rows.length === 0) return '';
  const columns: Column[] = [
    left('step'),
    left('call'),
    left('when'),
    left('batch'),
    left('result'),
    { ...left('code'), cut: true },
    { ...left('message'), cut: true },
  ];
  return renderTable(columns, rows, paint, width);
}
