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

/** What the project has set itself, each a ratio of turns of the same round. */
export function targetRows(measured: readonly Measured[]): Row[] {
  const at = (latencyMs: number) => measured.find((one) => one.latencyMs === latencyMs);
  const [unthrottled, slow] = [at(0), at(20)];
  const rows: Row[] = [];
  const rates = (one: Measured, name: string) => ratesOf(one, name);
  if (unthrottled) {
    const muster = rates(unthrottled, 'Muster');
    for (const [peer, least] of [
      ['BullMQ, with enqueueing', 1.4],
      ['BullMQ, processing alone', 1],
      ['bare loop', 0.65],
    ] as const) {
      if (unthrottled.turns.has(peer))
        rows.push(atLeast(`0 ms: rate to ${peer}`, muster, rates(unthrottled, peer), least));
    }
    const [ours, theirs] = [unthrottled.turns.get('Muster') ?? [], unthrottled.turns.get('bare loop') ?? []];
    rows.push(atMost("0 ms: worker's µs to the loop's", microsOf(ours, ['worker']), microsOf(theirs, ['loop']), 1.1));
    const engine = microsOf(ours, ['worker', 'trigger', 'postgres', 'kafka']);
    rows.push(atMost("0 ms: the engine's µs to the bare loop's own", engine, theirs.map(ownMicros), 2.2));
  }
  if (slow) rows.push(atLeast('20 ms: rate to bare loop', rates(slow, 'Muster'), rates(slow, 'bare loop'), 0.95));
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

function atMost(target: string, ours: readonly number[], theirs: readonly number[], most: number): Row {
  const ratio = ratioByRound(ours, theirs);
  return { target, asked: `at most ${most}`, measured: rounded(ratio), verdict: ratio <= most ? 'reached' : 'missed' };
}

function ratesOf({ turns }: Measured, name: string): number[] {
  return (turns.get(name) ?? []).map(({ rate }) => rate);
}

function ownMicros(turn: Turn): number {
  return ownProcesses(turn).reduce((sum, [, micros]) => sum + micros, 0);
}

function microsOf(turns: readonly Turn[], processes: readonly string[]): number[] {
  return turns.map(({ cpu }) => processes.reduce((sum, process) => sum + (cpu[process] ?? 0), 0));
}

function byProcess(turns: readonly Turn[]): string {
  const names = [...new Set(turns.flatMap(({ cpu }) => Object.keys(cpu)))];
  return names.map((name) => `${name} ${Math.round(median(microsOf(turns, [name])))}`).join(', ');
}
