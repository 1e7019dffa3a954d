import type { UserExplanation } from '../../sdk/generated/types.gen.ts';
import type { View, Paint } from '../show/paint.ts';
import { cut, left, renderItems } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcDay, utcSecond, utcTimeOfDay } from '../show/times.ts';

type ExplainedStep = UserExplanation['steps'][number];

export function renderExplanation(explained: UserExplanation, view: View): string {
  const { paint } = view;
  const { userId, audience, variant, batches, steps } = explained;
  const ofVariant = variant ? `variant ${oneLine(variant)}` : null;
  const where = [audience.country, ofVariant, audience.place.replaceAll('-', ' '), oneLine(audience.detail)];
  const lines = [
    `  ${paint.strong(oneLine(userId))}  ${where.filter((part) => part !== null).join(' · ')}`,
    ...(batches.length === 0 ? [] : [`  ${paint.faint(batchesText(batches))}`]),
    ...tracesText(batches).map((line) => `  ${paint.faint(line)}`),
    ...steps.flatMap((step) => [
      `  ${stepText(step, paint)}`,
      ...countedText(step).map((line) => `    ${paint.faint(line)}`),
    ]),
    ...deletedReceiptsText(explained).map((line) => `  ${paint.faint(line)}`),
  ];
  const calls = callsTable(steps, view);
  return `${lines.join('\n')}\n${calls === '' ? '' : `\n${calls}`}`;
}

function batchesText(batches: UserExplanation['batches']): string {
  const [first, ...children] = batches;
  const then = children.map(({ batchNo, fromStep }) => `${batchNo} from step ${fromStep}`);
  return [`batch ${first?.batchNo ?? ''}`, ...then].join(', then ');
}

/** Formats trace ids of recorded batches, to search for in the tracing backend. */
function tracesText(batches: UserExplanation['batches']): string[] {
  return batches.flatMap(({ batchNo, traceId }) =>
    traceId === undefined ? [] : [`batch ${batchNo}: trace ${traceId}`],
  );
}

function stepText(
  { step, action, outcome, reason, detail, waitsFor, nextAttemptAt, receipt }: ExplainedStep,
  paint: Paint,
): string {
  const why = [reason, detail].filter((part) => part !== null).map(oneLine);
  const waits = outcome === 'pending' && waitsFor !== null ? [`waits for ${oneLine(waitsFor)}`] : [];
  const until = nextAttemptAt === null ? [] : [`next call ${utcTimeOfDay(nextAttemptAt)}`];
  const isBad = outcome === 'failed' || outcome === 'unknown';
  const painted = isBad ? paint.bad(outcome) : outcome === 'succeeded' ? paint.good(outcome) : paint.accent(outcome);
  return [`${step} ${action}: ${painted}`, ...why, ...waits, ...until, ...receiptText(receipt, paint)].join(' · ');
}

/** Formats the effects that a cap counted. */
function countedText({ counted = [] }: ExplainedStep): string[] {
  return counted.map(({ campaignName, runId, step, action, at }) => {
    const where = campaignName === null ? 'another campaign' : `${oneLine(campaignName)} (${runId ?? ''})`;
    return `earlier: ${where}, step ${step} ${action}, ${utcSecond(at)}`;
  });
}

function receiptText(receipt: ExplainedStep['receipt'], paint: Paint): string[] {
  if (receipt === null) return [];
  const { status, code, at } = receipt;
  const painted = status === 'delivered' ? paint.good(status) : paint.bad(status);
  return [`${painted}${code === null ? '' : ` (${oneLine(code)})`} at ${utcTimeOfDay(at)}`];
}

function deletedReceiptsText({ steps, receiptsDeletedAt }: UserExplanation): string[] {
  if (!receiptsDeletedAt || steps.length === 0 || steps.some(({ receipt }) => receipt !== null)) return [];
  return [`receipts were deleted on ${utcDay(receiptsDeletedAt)}: whether this user was delivered is no longer known`];
}

function callsTable(steps: readonly ExplainedStep[], view: View): string {
  const calls = steps.flatMap(({ step, attempts }) => attempts.map((call) => ({ step, ...call })));
  if (calls.length === 0) return '';
  return renderItems(
    calls,
    [
      left('step', ({ step }) => String(step)),
      left('call', ({ attempt }) => String(attempt)),
      left('when', ({ at }) => utcSecond(at)),
      left('batch', ({ batchNo }) => String(batchNo)),
      left('result', ({ result }) => result),
      cut('code', ({ code }) => code ?? ''),
      cut('message', ({ message }) => message ?? ''),
    ],
    view,
  );
}
