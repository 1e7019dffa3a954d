import type { AuditRecordShape } from '../../shared/contracts/access/audit.ts';
import type { RunEventShape, RunSummary } from '../../shared/contracts/runs/runs.ts';
import { count, duration } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime, utcTimeOfDay } from '../show/times.ts';

const left = (title: string): Column => ({ title, align: 'left' });

/** `deadline 2026-11-22 09:00 UTC, priority high, at most 500 users/s, pauses at 5 % failed` */
export function settingsLine({ deadlineAt, settings }: RunSummary): string {
  const {
    priority,
    paceUsersPerSecond: pace,
    pauseAtFailedPercent: percent,
    pauseAtFailedMinUsers: minUsers,
  } = settings;
  return [
    ...(deadlineAt === null ? [] : [`deadline ${utcTime(deadlineAt)}`]),
    `priority ${priority}`,
    pace === null ? 'no pace' : `at most ${count(pace)} users/s`,
    ...(percent === null ? [] : [`pauses at ${percent} % failed of ${count(minUsers)} users or more`]),
  ].join(', ');
}

/** What became of a run, line by line, the oldest first. */
export function renderRunEvents(events: readonly RunEventShape[], paint: Paint, width = Infinity): string {
  if (events.length === 0) return 'nothing yet\n';
  const columns: Column[] = [left('when'), left('what'), { ...left('detail'), cut: true }];
  const rows = events.map(({ at, kind, detail }) => [
    `${at.slice(0, 10)} ${utcTimeOfDay(at)}`,
    kind.replaceAll('-', ' '),
    detailText(detail),
  ]);
  return renderTable(columns, rows, paint, width);
}

/** Changes through the API, the newest first. */
export function renderAudit(changes: readonly AuditRecordShape[], paint: Paint, width = Infinity): string {
  if (changes.length === 0) return 'no changes\n';
  const columns: Column[] = [
    left('when'),
    { ...left('who'), cut: true },
    left('what'),
    { ...left('on'), cut: true },
    { title: 'status', align: 'right' },
    { ...left('detail'), cut: true },
  ];
  const rows = changes.map(({ at, keyName, keyId, method, route, subject, status, detail }) => [
    `${at.slice(0, 10)} ${utcTimeOfDay(at)}`,
    oneLine(keyName ?? keyId ?? ''),
    `${method} ${route}`,
    oneLine(subject ?? ''),
    status < 300 ? String(status) : paint.bad(String(status)),
    detailText(detail),
  ]);
  return renderTable(columns, rows, paint, width);
}

/** `by the night shift, reason wrong reward`: names and values, what is nested in JSON. */
function detailText(detail: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(detail).flatMap(([name, value]) => {
    if (value === null || value === undefined) return [];
    if (name === 'forMs' && typeof value === 'number') return [`for ${duration(value / 1000)}`];
    return name === 'by'
      ? [`by ${nameOf(value)}`]
      : [`${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  });
  return oneLine(parts.join(', '));
}

function nameOf(by: unknown): string {
  return typeof by === 'object' && by !== null && 'keyName' in by ? String(by.keyName) : JSON.stringify(by);
}
