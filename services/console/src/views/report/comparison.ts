import type { RunReport } from '../../api/generated/types.gen.ts';
import { formatDifference, formatFineShare } from '../../parts/figures.ts';
import { formatCount } from '../../parts/numbers.ts';
import { formatDuration } from '../../parts/times.ts';

/** A figure of this run beside that of another one. */
export interface ComparedFigure {
  name: string;
  now: string;
  before: string;
  change: string;
  /** Whether the change is one for the better; null where it is neither, or none. */
  isBetter: boolean | null;
}

type Compared = Pick<RunReport, 'steps' | 'startedAt' | 'endedAt'>;

interface Figures {
  audience: number;
  through: number;
  failed: number;
  unknown: number;
  suppressed: number;
  tookMs: number | null;
}

export function compare(now: Compared, before: Compared): ComparedFigure[] {
  const [a, b] = [figuresOf(now), figuresOf(before)];
  return [
    {
      name: 'Audience',
      now: formatCount(a.audience),
      before: formatCount(b.audience),
      change: b.audience === 0 ? '–' : withUnit(formatDifference((a.audience / b.audience - 1) * 100, 1), '%'),
      isBetter: null,
    },
    share('Through the chain', a, b, 'through', true),
    share('Failed', a, b, 'failed', false),
    ...(a.unknown + b.unknown > 0 ? [share('Unknown', a, b, 'unknown', false)] : []),
    ...(a.suppressed + b.suppressed > 0 ? [share('Suppressed', a, b, 'suppressed', null)] : []),
    took(a.tookMs, b.tookMs),
  ];
}

function figuresOf({ steps, startedAt, endedAt }: Compared): Figures {
  const sum = (of: 'failed' | 'unknown' | 'suppressed') => steps.reduce((total, line) => total + line[of], 0);
  return {
    audience: steps[0]?.audience ?? 0,
    through: steps.at(-1)?.succeeded ?? 0,
    failed: sum('failed'),
    unknown: sum('unknown'),
    suppressed: sum('suppressed'),
    tookMs: startedAt === null || endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt),
  };
}

/** A share and its change in percentage points. @param moreIsBetter null where it is neither */
function share(
  name: string,
  a: Figures,
  b: Figures,
  of: 'through' | 'failed' | 'unknown' | 'suppressed',
  moreIsBetter: boolean | null,
): ComparedFigure {
  const points = percentOf(a[of], a.audience) - percentOf(b[of], b.audience);
  const change = formatDifference(points, Math.abs(points) < 1 ? 2 : 1);
  return {
    name,
    now: formatFineShare(a[of], a.audience),
    before: formatFineShare(b[of], b.audience),
    change: withUnit(change, 'pt'),
    isBetter: change === '0' || moreIsBetter === null ? null : points > 0 === moreIsBetter,
  };
}

function took(now: number | null, before: number | null): ComparedFigure {
  const told = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));
  const difference = now === null || before === null ? null : now - before;
  const isSame = difference !== null && Math.abs(difference) < 1000;
  return {
    name: 'Took',
    now: told(now),
    before: told(before),
    change:
      difference === null
        ? '–'
        : isSame
          ? '0'
          : `${difference < 0 ? '−' : '+'} ${formatDuration(Math.abs(difference))}`,
    isBetter: difference === null || isSame ? null : difference < 0,
  };
}

function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : (part / whole) * 100;
}

function withUnit(change: string, unit: string): string {
  return change === '0' ? change : `${change} ${unit}`;
}
