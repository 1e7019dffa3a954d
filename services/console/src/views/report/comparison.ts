import type { ComparedRun } from '#client/types.gen.ts';
import { formatDifference, formatFineShare } from '../../parts/words/figures.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { formatDuration } from '../../parts/times/times.ts';

export interface ComparedFigure {
  name: string;
  now: string;
  before: string;
  change: string;
  /** True if the change is an improvement; null if it is neutral, or there is none. */
  isBetter: boolean | null;
}

/** Compares the figures of two runs. Figures of runs with different chains are shown without a difference. */
export function compare(now: ComparedRun, before: ComparedRun): ComparedFigure[] {
  const [audience, ...others] = figuresOf(now, before);
  const shown = isSameChain(now, before) ? others : others.map((figure) => ({ ...figure, ...unmeasured }));
  return audience ? [audience, ...shown] : shown;
}

const unmeasured = { change: '–', isBetter: null } as const;

/** Returns true if two runs have the same chain, so that their outcomes are comparable. */
export function isSameChain({ chain }: Pick<ComparedRun, 'chain'>, other: Pick<ComparedRun, 'chain'>): boolean {
  return chain.length === other.chain.length && chain.every((action, index) => action === other.chain[index]);
}

function figuresOf(now: ComparedRun, before: ComparedRun): ComparedFigure[] {
  return [
    {
      name: 'Audience',
      now: formatCount(now.audience),
      before: formatCount(before.audience),
      change:
        before.audience === 0 ? '–' : withUnit(formatDifference((now.audience / before.audience - 1) * 100, 1), '%'),
      isBetter: null,
    },
    share('Through the chain', now, before, 'through', true),
    share('Failed', now, before, 'failed', false),
    ...rare.flatMap(({ name, of, moreIsBetter }) =>
      now[of] + before[of] > 0 ? [share(name, now, before, of, moreIsBetter)] : [],
    ),
    took(now.tookMs, before.tookMs),
  ];
}

type Counted = 'through' | 'failed' | 'recovered' | 'unknown' | 'suppressed' | 'expired' | 'cancelled';

/** Outcomes that are shown only if a user has them. */
const rare: readonly { name: string; of: Counted; moreIsBetter: boolean | null }[] = [
  // Neutral: retried users have failed before.
  { name: 'Recovered since', of: 'recovered', moreIsBetter: null },
  { name: 'Unknown', of: 'unknown', moreIsBetter: false },
  { name: 'Suppressed', of: 'suppressed', moreIsBetter: null },
  { name: 'Expired', of: 'expired', moreIsBetter: false },
  { name: 'Cancelled', of: 'cancelled', moreIsBetter: null },
];

/** Returns a share and its change in percentage points. @param moreIsBetter null if the change is neutral */
function share(
  name: string,
  a: ComparedRun,
  b: ComparedRun,
  of: Counted,
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
  const shown = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));
  const difference = now === null || before === null ? null : now - before;
  const isSame = difference !== null && Math.abs(difference) < 1000;
  return {
    name: 'Took',
    now: shown(now),
    before: shown(before),
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
