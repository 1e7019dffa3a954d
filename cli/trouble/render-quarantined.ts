import type { QuarantinedStepDetail, QuarantinedStepShape } from '../../shared/contracts/messages/quarantined-steps.ts';
import { count } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime, utcTimeOfDay } from '../show/times.ts';

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });

export function renderQuarantined(steps: readonly QuarantinedStepShape[], paint: Paint, width = Infinity): string {
  if (steps.length === 0) return 'no quarantined step\n';
  const columns: Column[] = [
    ...[left('quarantined step'), left('state'), left('run'), left('country'), right('batch')],
    ...[{ ...left('step'), cut: true as const }, right('users'), right('lapses'), left('since')],
  ];
  const rows = steps.map(({ id, state, runId, country, batchNo, step, action, users, lapses, since }) => [
    ...[id, state, runId, country, String(batchNo), `${step} ${oneLine(action)}`, count(users), count(lapses)],
    utcTime(since),
  ]);
  return renderTable(columns, rows, paint, width);
}

/** Where it is, whom it concerns, whether it may be opened again, and a line for each call that was noted. */
export function renderQuarantinedStep(detail: QuarantinedStepDetail, paint: Paint, width = Infinity): string {
  const { id, state, runId, runState, country, batchNo, step, action, users, lapses, since, whyNot } = detail;
  const isOpen =
    whyNot === null ? `muster quarantined replay ${id} opens it again` : `not to be opened again: ${whyNot}`;
  const lines = [
    `  ${paint.strong(id)}  ${state} · ${step} ${oneLine(action)} in ${country}, batch ${batchNo}`,
    `  ${runId} ${runState.replaceAll('_', ' ')} · ${lapses} leases lapsed · since ${utcTime(since)}`,
    `  key ${detail.idempotencyKey}`,
    `  ${count(users)} users, such as ${detail.sample.slice(0, 3).map(oneLine).join('  ') || 'none that is still unknown'}`,
    `  ${oneLine(isOpen)}`,
  ];
  if (detail.calls.length === 0) return `${lines.join('\n')}\n`;
  const columns: Column[] = [left('when'), left('worker'), left('result'), { ...left('cause'), cut: true }];
  const rows = detail.calls.map(({ at, worker, result, cause }) => [
    `${utcTime(at).slice(0, 10)} ${utcTimeOfDay(at)}`,
    oneLine(worker ?? ''),
    oneLine(result),
    oneLine(cause ?? ''),
  ]);
  return `${lines.join('\n')}\n\n${renderTable(columns, rows, paint, width)}`;
}
