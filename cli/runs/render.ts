import type { UserReceipt } from '../../shared/contracts/endpoints/receipts.ts';
import type { RunSummary, UserFailureShape } from '../../shared/contracts/runs/runs.ts';
import { count, duration } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

const left = (title: string): Column => ({ title, align: 'left' });

/** Runs, the newest first, with what their commands take as an id. */
export function renderRuns(runs: readonly RunSummary[], paint: Paint, width = Infinity): string {
  if (runs.length === 0) return 'no run yet\n';
  const columns: Column[] = [left('run'), left('state'), left('began'), left('took'), { ...left('why'), cut: true }];
  const rows = runs.map(({ runId, state, stateReason, scheduledFor, startedAt, endedAt }) => [
    runId,
    state.replaceAll('_', ' '),
    utcTime(startedAt ?? scheduledFor),
    startedAt && endedAt ? duration((Date.parse(endedAt) - Date.parse(startedAt)) / 1000) : '',
    oneLine(stateReason ?? ''),
  ]);
  return renderTable(columns, rows, paint, width);
}

/** Users that failed, as the API reports them. */
export function renderFailures(failures: readonly UserFailureShape[], paint: Paint, width = Infinity): string {
  if (failures.length === 0) return 'nobody failed\n';
  const columns: Column[] = [
    { ...left('user'), cut: true },
    left('step'),
    left('country'),
    left('outcome'),
    { ...left('reason'), cut: true },
    { ...left('detail'), cut: true },
    { title: 'attempts', align: 'right' },
    left('when'),
  ];
  const rows = failures.map(({ userId, step, country, outcome, reason, detail, attempts, failedAt }) => [
    oneLine(userId),
    String(step),
    country,
    outcome,
    oneLine(reason),
    oneLine(detail ?? ''),
    count(attempts),
    utcTime(failedAt),
  ]);
  return renderTable(columns, rows, paint, width);
}

/** What providers said of users, as the API reports it. */
export function renderReceipts(receipts: readonly UserReceipt[], paint: Paint, width = Infinity): string {
  if (receipts.length === 0) return 'no receipt\n';
  const columns: Column[] = [
    { ...left('user'), cut: true },
    left('step'),
    left('country'),
    left('status'),
    { ...left('code'), cut: true },
    left('when'),
  ];
  const rows = receipts.map(({ userId, step, country, status, code, at }) => [
    oneLine(userId),
    String(step),
    country,
    status,
    oneLine(code ?? ''),
    utcTime(at),
  ]);
  return renderTable(columns, rows, paint, width);
}
