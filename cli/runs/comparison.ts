import type { ComparedRun, RunComparison } from '../../sdk/generated/types.gen.ts';
import type { View } from '../show/paint.ts';
import { count, duration } from '../show/numbers.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

type Counted = 'through' | 'failed' | 'recovered' | 'unknown' | 'suppressed' | 'expired' | 'cancelled';

const usual: readonly Counted[] = ['through', 'failed'];
const rare: readonly Counted[] = ['recovered', 'unknown', 'suppressed', 'expired', 'cancelled'];
const names: Partial<Record<Counted, string>> = { through: 'through the chain', recovered: 'recovered since' };

/** Renders two runs side by side: counts, shares of the audience, and differences in percentage points. */
export function renderComparison({ run, before }: RunComparison, { paint, width }: View): string {
  if (!before) return `${run.runId}: there is no run before it that began and has ended\n`;
  const isSame = isSameChain(run, before);
  const outcomes = [...usual, ...rare.filter((of) => run[of] + before[of] > 0)];
  const columns: Column[] = [
    { title: '', align: 'left' },
    { title: utcTime(run.scheduledFor), align: 'right' },
    { title: utcTime(before.scheduledFor), align: 'right' },
    { title: 'change', align: 'right' },
  ];
  const rows = [
    ['audience', count(run.audience), count(before.audience), growthText(run.audience, before.audience)],
    ...outcomes.map((of) => {
      const change = isSame ? pointsText(run, before, of) : '–';
      return [names[of] ?? of, shareText(run, of), shareText(before, of), change];
    }),
    ...(run.variants ?? []).flatMap((variant) => {
      const other = before.variants?.find(({ name }) => name === variant.name);
      if (!other) return [];
      const change = isSame ? pointsText(variant, other, 'through') : '–';
      return [
        [`through, ${oneLine(variant.name)}`, shareText(variant, 'through'), shareText(other, 'through'), change],
      ];
    }),
    ['took', tookText(run.tookMs), tookText(before.tookMs), isSame ? laterText(run.tookMs, before.tookMs) : '–'],
  ];
  const campaign = before.campaignId === run.campaignId ? '' : `, of ${oneLine(before.campaignName)}`;
  const table = renderTable(columns, rows, paint, width);
  return `  ${run.runId} beside ${before.runId}${campaign}\n${table}${isSame ? '' : otherChain(run, before)}`;
}

/** Returns true if both runs have the same chain, because only then their outcomes are comparable. */
function isSameChain(run: ComparedRun, before: ComparedRun): boolean {
  return run.chain.length === before.chain.length && run.chain.every((action, index) => action === before.chain[index]);
}

function otherChain(run: ComparedRun, before: ComparedRun): string {
  const [own, other] = [run, before].map(({ chain }) => chain.join(', '));
  return `  another chain, ${other}, not ${own}: only the audiences are compared\n`;
}

type Counts<Of extends Counted> = Record<Of | 'audience', number>;

function shareText<Of extends Counted>(run: Counts<Of>, of: Of): string {
  return run.audience === 0 ? count(run[of]) : `${count(run[of])} (${percentOf(run, of).toFixed(1)} %)`;
}

function pointsText<Of extends Counted>(run: Counts<Of>, before: Counts<Of>, of: Of): string {
  if (run.audience === 0 || before.audience === 0) return '–';
  return `${signed((percentOf(run, of) - percentOf(before, of)).toFixed(2))} pt`;
}

function percentOf<Of extends Counted>(run: Counts<Of>, of: Of): number {
  return (run[of] / run.audience) * 100;
}

function growthText(users: number, before: number): string {
  return before === 0 ? '–' : `${signed(((users / before - 1) * 100).toFixed(1))} %`;
}

function tookText(ms: number | null): string {
  return ms === null ? '–' : duration(ms / 1000);
}

function laterText(ms: number | null, before: number | null): string {
  if (ms === null || before === null) return '–';
  return `${ms < before ? '−' : '+'} ${duration(Math.abs(ms - before) / 1000)}`;
}

/** Formats a number with its sign; a number that rounds to 0 has no sign. */
function signed(number: string): string {
  const size = number.replace('-', '');
  if (Number(size) === 0) return size;
  return `${number.startsWith('-') ? '−' : '+'} ${size}`;
}
