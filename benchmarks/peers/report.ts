import { median, ratioByRound, rounded, type Row } from '../results.ts';
import type { Turn } from './contestant.ts';

/** The turns of every contestant at one latency, by its name, round by round. */
export interface Measured {
  latencyMs: number;
  turns: ReadonlyMap<string, readonly Turn[]>;
}

/** The called services are the same for all, and no contestant's cost. */
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
      'by process': byProcess(turns),
    };
  });
}

/** Least share of the rate of a contestant, and most of our own processes' µs of a batch, that is asked for. */
const leastRates = [
  { latencyMs: 0, peer: 'BullMQ, with enqueueing', least: 1 },
  { latencyMs: 5, peer: 'BullMQ, with enqueueing', least: 0.95 },
  { latencyMs: 20, peer: 'BullMQ, with enqueueing', least: 0.95 },
  { latencyMs: 50, peer: 'BullMQ, with enqueueing', least: 0.95 },
  { latencyMs: 20, peer: "no queue: peers' worker, jobs in its memory", least: 0.85 },
] as const;
const mostMicros = [
  { of: 'worker', most: 110 },
  { of: 'trigger', most: 45 },
  { of: 'postgres', most: 75 },
  { of: 'kafka', most: 28 },
] as const;
const mostMicrosInAll = 265;

/** What the project has set itself: rates are ratios of turns of the same round, costs at 0 ms medians. */
export function targetRows(measured: readonly Measured[]): Row[] {
  const rows: Row[] = [];
  for (const { latencyMs, peer, least } of leastRates) {
    const one = measured.find((each) => each.latencyMs === latencyMs);
    if (one?.turns.has(peer))
      rows.push(atLeast(`${latencyMs} ms: rate to ${peer}`, ratesOf(one, 'Muster'), ratesOf(one, peer), least));
  }
  const ours = measured.find(({ latencyMs }) => latencyMs === 0)?.turns.get('Muster');
  if (!ours) return rows;
  rows.push(atMost('0 ms: own CPU µs per batch', median(ours.map(ownMicros)), mostMicrosInAll));
  for (const { of, most } of mostMicros) rows.push(atMost(`0 ms: ${of}'s`, median(microsOf(ours, of)), most));
  return rows;
}

function atLeast(target: string, ours: readonly number[], theirs: readonly number[], least: number): Row {
  const ratio = ratioByRound(ours, theirs);
  return {
    target,
    asked: `at least ${least}`,
    measured: rounded(ratio),
    verdict: ratio >= least ? 'reached' : 'missed',
  };
}

function atMost(target: string, micros: number, most: number): Row {
  return {
    target,
    asked: `at most ${most}`,
    measured: rounded(micros),
    verdict: micros <= most ? 'reached' : 'missed',
  };
}

function ratesOf({ turns }: Measured, name: string): number[] {
  return (turns.get(name) ?? []).map(({ rate }) => rate);
}

function ownMicros(turn: Turn): number {
  return ownProcesses(turn).reduce((sum, [, micros]) => sum + micros, 0);
}

function microsOf(turns: readonly Turn[], process: string): number[] {
  return turns.map(({ cpu }) => cpu[process] ?? 0);
}

function byProcess(turns: readonly Turn[]): string {
  const names = [...new Set(turns.flatMap(({ cpu }) => Object.keys(cpu)))];
  return names.map((name) => `${name} ${Math.round(median(microsOf(turns, name)))}`).join(', ');
}
