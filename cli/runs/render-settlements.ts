import type { SettlementShape } from '../../shared/contracts/runs/settlements.ts';
import { count } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

const shownRejects = 20;

/** What a settlement has done, and which lines it could not use. */
export function renderSettlement(settlement: SettlementShape): string {
  const { settlementId, runId, state, rejected, rejects, cause } = settlement;
  if (state === 'running') return `${settlementId} goes on in the background: muster run settlements ${runId}\n`;
  const lines = [`${settlementId} ${state}: ${settledText(settlement)}${cause === null ? '' : `; ${oneLine(cause)}`}`];
  for (const { line, userId, rule } of rejects.slice(0, shownRejects)) {
    lines.push(`  line ${line}: ${rule}${userId === null ? '' : ` (${oneLine(userId)})`}`);
  }
  if (rejected > shownRejects)
    lines.push(`  and ${count(rejected - Math.min(shownRejects, rejects.length))} more; all with --json`);
  return `${lines.join('\n')}\n`;
}

/** The newest first. */
export function renderSettlements(settlements: readonly SettlementShape[], paint: Paint, width = Infinity): string {
  if (settlements.length === 0) return 'nothing was settled\n';
  const left = (title: string): Column => ({ title, align: 'left' });
  const columns = [
    left('settlement'),
    left('when'),
    left('by'),
    left('state'),
    { ...left('what'), cut: true } as const,
  ];
  const rows = settlements.map((each) => [
    each.settlementId,
    utcTime(each.createdAt),
    each.requestedBy === null ? each.by : `${each.by}, ${oneLine(each.requestedBy.name)}`,
    each.state,
    `${settledText(each)}${each.cause === null ? '' : `; ${oneLine(each.cause)}`}`,
  ]);
  return renderTable(columns, rows, paint, width);
}

function settledText({ settled, leftUnknown, rejected }: SettlementShape): string {
  return [
    `${count(settled.succeeded)} succeeded`,
    `${count(settled.failed)} failed`,
    ...(leftUnknown > 0 ? [`${count(leftUnknown)} still unknown`] : []),
    ...(rejected > 0 ? [`${count(rejected)} rejected`] : []),
  ].join(', ');
}
