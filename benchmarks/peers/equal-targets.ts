import { GuardFailed } from '../chain/guard.ts';
import { ratioByRound, rounded, type Row } from '../results.ts';
import { bestPeer, measures, ours, type Measure } from './equal-report.ts';
import type { Measured } from './report.ts';

/** Bounds of Muster's ratio to the best peer. A rate must not be lower, and CPU must not be higher. */
interface Bounds {
  /** Ratio that the project wants to reach. */
  goal: number;
  /** Ratio that the nightly run accepts: the median of three rounds, and a tenth for the differences of machines. */
  accepted: number;
}

const boundsByLatency = new Map<number, Record<Measure['name'], Bounds>>([
  [0, boundsOf({ goal: 1.25, accepted: 1.37 }, { goal: 0.8, accepted: 0.7 }, { goal: 0.5, accepted: 0.42 })],
  [5, boundsOf({ goal: 1.25, accepted: 1.19 }, { goal: 0.8, accepted: 0.7 }, { goal: 0.5, accepted: 0.38 })],
  [20, boundsOf({ goal: 1, accepted: 0.92 }, { goal: 0.8, accepted: 0.99 }, { goal: 0.5, accepted: 0.57 })],
  [50, boundsOf({ goal: 1, accepted: 0.92 }, { goal: 0.8, accepted: 1.1 }, { goal: 0.5, accepted: 0.55 })],
]);

function boundsOf(rate: Bounds, cpu: Bounds, postgres: Bounds): Record<Measure['name'], Bounds> {
  return { 'batches/s': rate, 'CPU µs': cpu, 'Postgres µs': postgres };
}

/** Muster's ratio to the best peer in one measure at one latency. */
interface Compared {
  name: string;
  ratio: number;
  bounds: Bounds;
  isBetter: Measure['isBetter'];
}

/** Compares Muster's ratios to the best peer with the project's goals. */
export function equalTargetRows(measured: readonly Measured[]): Row[] {
  return measured.flatMap(comparedIn).map(({ name, ratio, bounds: { goal }, isBetter }) => ({
    target: name,
    asked: `${isBetter === 'higher' ? 'at least' : 'at most'} ${goal}`,
    measured: rounded(ratio),
    verdict: isWithin(ratio, goal, isBetter) ? 'reached' : 'missed',
  }));
}

/** @throws {GuardFailed} if a ratio is worse than the accepted one, or no peer was measured */
export function guardEqual(measured: readonly Measured[]): void {
  const compared = measured.flatMap(comparedIn);
  if (compared.length === 0) throw new GuardFailed('no peer at equal promises was measured');
  const problems = compared
    .filter(({ ratio, bounds, isBetter }) => !isWithin(ratio, bounds.accepted, isBetter))
    .map(({ name, ratio, bounds, isBetter }) => {
      const least = isBetter === 'higher' ? 'at least' : 'at most';
      return `${name}: ${ratio.toFixed(2)}, ${least} ${bounds.accepted} is accepted`;
    });
  if (problems.length > 0) throw new GuardFailed(problems.join('\n'));
}

function isWithin(ratio: number, bound: number, isBetter: Measure['isBetter']): boolean {
  return isBetter === 'higher' ? ratio >= bound : ratio <= bound;
}

function comparedIn(one: Measured): Compared[] {
  const bounds = boundsByLatency.get(one.latencyMs);
  const muster = one.turns.get(ours) ?? [];
  if (!bounds) return [];
  return measures.flatMap((measure) => {
    const best = bestPeer(one, measure);
    if (best === undefined) return [];
    const ratio = ratioByRound(muster.map(measure.of), (one.turns.get(best) ?? []).map(measure.of));
    const label = measure.name === 'batches/s' ? 'rate' : measure.name;
    const name = `${one.latencyMs} ms: ${label} ÷ ${best}`;
    return [{ name, ratio, bounds: bounds[measure.name], isBetter: measure.isBetter }];
  });
}
