import { median, ratioByRound, rounded, type Row } from '../results.ts';
import type { MeasuredTurn, Turn } from './contestant.ts';

/** Turns of all contestants at one latency: by the contestant's name, one per round. */
export interface Measured {
  latencyMs: number;
  turns: ReadonlyMap<string, readonly MeasuredTurn[]>;
}

/** Returns the turns of the given contestants only. */
export function only({ latencyMs, turns }: Measured, names: readonly string[]): Measured {
  return { latencyMs, turns: new Map([...turns].filter(([name]) => names.includes(name))) };
}

/** Leaves out the called endpoints: they are the same for all contestants and do not count as a contestant's cost. */
const ownProcesses = (turn: Turn) => Object.entries(turn.cpu).filter(([process]) => process !== 'endpoints');

export function rowsOf(measured: Measured): Row[] {
  const muster = ratesOf(measured, 'Muster');
  const bare = ratesOf(measured, 'bare loop');
  return [...measured.turns].map(([name, turns]) => {
    const rates = turns.map(({ rate }) => rate);
    return {
      case: name,
      'batches/s': rounded(median(rates)),
      'min to max': `${rounded(Math.min(...rates))} to ${rounded(Math.max(...rates))}`,
      'to the bare loop': rounded(ratioByRound(rates, bare)),
      'Muster to it': rounded(ratioByRound(muster, rates)),
      'own CPU µs per batch': rounded(median(turns.map(ownMicros))),
      'calls at once': Math.max(...turns.map(({ callsAtOnce }) => callsAtOnce)),
      'by process': byProcess(turns),
    };
  });
}

/** Targets: the least ratio of Muster's rate to a loop's, and the most CPU µs per batch for each process of Muster. */
const minRateRatios = [{ latencyMs: 20, peer: "no queue: peers' worker, jobs in its memory", least: 0.85 }] as const;
const maxMicrosByProcess = [
  { of: 'worker', most: 110 },
  { of: 'trigger', most: 45 },
  { of: 'postgres', most: 75 },
  { of: 'kafka', most: 28 },
] as const;
const maxMicrosInTotal = 265;

/**
 * Compares the results with the project's targets. Rates are ratios of turns of the same round; costs at 0 ms are
 * medians.
 */
export function targetRows(measured: readonly Measured[]): Row[] {
  const rows: Row[] = [];
  for (const { latencyMs, peer, least } of minRateRatios) {
    const one = measured.find((each) => each.latencyMs === latencyMs);
    if (one?.turns.has(peer))
      rows.push(atLeast(`${latencyMs} ms: rate to ${peer}`, ratesOf(one, 'Muster'), ratesOf(one, peer), least));
  }
  const ours = measured.find(({ latencyMs }) => latencyMs === 0)?.turns.get('Muster');
  if (!ours) return rows;
  rows.push(atMost('0 ms: own CPU µs per batch', median(ours.map(ownMicros)), maxMicrosInTotal));
  for (const { of, most } of maxMicrosByProcess) rows.push(atMost(`0 ms: ${of}'s`, median(microsOf(ours, of)), most));
  return rows;
}

export function atLeast(target: string, ours: readonly number[], theirs: readonly number[], least: number): Row {
  const ratio = ratioByRound(ours, theirs);
  return {
    target,
    asked: `at least ${least}`,
    measured: rounded(ratio),
    verdict: ratio >= least ? 'reached' : 'missed',
  };
}

export function atMost(target: string, micros: number, most: number): Row {
  return {
    target,
    asked: `at most ${most}`,
    measured: rounded(micros),
    verdict: micros <= most ? 'reached' : 'missed',
  };
}

export function ratesOf({ turns }: Measured, name: string): number[] {
  return (turns.get(name) ?? []).map(({ rate }) => rate);
}

export function ownMicros(turn: Turn): number {
  return ownProcesses(turn).reduce((sum, [, micros]) => sum + micros, 0);
}

export function microsOf(turns: readonly Turn[], process: string): number[] {
  return turns.map(({ cpu }) => cpu[process] ?? 0);
}

function byProcess(turns: readonly Turn[]): string {
  const names = [...new Set(turns.flatMap(({ cpu }) => Object.keys(cpu)))];
  return names.map((name) => `${name} ${Math.round(median(microsOf(turns, name)))}`).join(', ');
}
