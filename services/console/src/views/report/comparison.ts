import type { ComparedRun } from '#client/types.gen.ts';
import { formatDifference, formatFineShare } from '../../parts/words/figures.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { formatDuration } from '../../parts/times/times.ts';

export interface ComparedFigure {
  name: string;
  now: string;
  before: string;
  change: string;
  /** True if the change is an improvement. Null if the change is neutral, or the figure did not change. */
  isBetter: boolean | null;
}

/** Compares the figures of two runs. Figures of runs with different chains are shown without a difference. */
export function compareRuns(now: ComparedRun, before: ComparedRun): ComparedFigure[] {
  const [audience, ...others] = figuresOf(now, before);
  const comparable = hasSameChain(now, before) ? others : others.map((figure) => ({ ...figure, ...unmeasured }));
  return audience ? [audience, ...comparable] : comparable;
}

const unmeasured = { change: '–', isBetter: null } as const;

/** Returns true if two runs have the same chain, so that their outcomes are comparable. */
export function hasSameChain({ chain }: Pick<ComparedRun, 'chain'>, other: Pick<ComparedRun, 'chain'>): boolean {
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
    compareShare('Through the chain', now, before, 'through', true),
    ...(now.variants ?? []).flatMap((variant) => {
      const other = before.variants?.find(({ name }) => name === variant.name);
      return other ? [compareShare(`Through, ${variant.name}`, variant, other, 'through', true)] : [];
    }),
    compareShare('Failed', now, before, 'failed', false),
    ...rareOutcomes.flatMap(({ name, of, moreIsBetter }) =>
      now[of] + before[of] > 0 ? [compareShare(name, now, before, of, moreIsBetter)] : [],
    ),
    compareDuration(now.tookMs, before.tookMs),
  ];
}

type CountedOutcome = 'through' | 'failed' | 'recovered' | 'unknown' | 'suppressed' | 'expired' | 'cancelled';

/** Outcomes that are shown only if a user has them. */
const rareOutcomes: readonly { name: string; of: CountedOutcome; moreIsBetter: boolean | null }[] = [
  // A higher number is neither better nor worse: users who recovered by a retry had failed before.
  { name: 'Recovered since', of: 'recovered', moreIsBetter: null },
  { name: 'Unknown', of: 'unknown', moreIsBetter: false },
  { name: 'Suppressed', of: 'suppressed', moreIsBetter: null },
  { name: 'Expired', of: 'expired', moreIsBetter: false },
  { name: 'Cancelled', of: 'cancelled', moreIsBetter: null },
];

/**
 * Returns a share and its change in percentage points.
 * @param moreIsBetter true if a higher share is an improvement; null if the change is neutral
 */
function compareShare<Of extends CountedOutcome>(
  name: string,
  a: Record<Of | 'audience', number>,
  b: Record<Of | 'audience', number>,
  of: Of,
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

function compareDuration(now: number | null, before: number | null): ComparedFigure {
  const comparable = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));
  const difference = now === null || before === null ? null : now - before;
  const isSame = difference !== null && Math.abs(difference) < 1000;
  return {
    name: 'Took',
    now: comparable(now),
    before: comparable(before),
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
