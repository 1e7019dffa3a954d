import { median, rounded, type Row } from '../results.ts';
import type { MeasuredTurn } from './contestant.ts';
import { ownMicros, type Measured } from './report.ts';

export const ours = 'Muster';
const loop = 'bare loop';

/** Figures that a peer is compared by. */
export const measures = [
  { name: 'batches/s', isBetter: 'higher', of: ({ rate }: MeasuredTurn) => rate },
  { name: 'CPU µs', isBetter: 'lower', of: ownMicros },
  { name: 'Postgres µs', isBetter: 'lower', of: ({ cpu }: MeasuredTurn) => cpu['postgres'] ?? 0 },
] as const;

export type Measure = (typeof measures)[number];

/** Servers beside Postgres that keep the jobs of a peer. */
const otherStores = ['redis', 'restate'];

/** Returns a row for each contestant with a column for each latency: batches/s, CPU µs and Postgres' CPU µs. */
export function overviewRows(measured: readonly Measured[]): Row[] {
  const names = [...(measured[0]?.turns.keys() ?? [])];
  return names.map((name) => ({
    case: name,
    ...Object.fromEntries(measured.map((one) => [`${one.latencyMs} ms`, cellOf(one.turns.get(name) ?? [])])),
  }));
}

function cellOf(turns: readonly MeasuredTurn[]): string {
  const [rate, all, postgres] = measures.map(({ of }) => Math.round(median(turns.map(of))));
  return `${(rate ?? 0).toLocaleString('en')} (${all}; ${postgres})`;
}

/** Returns a row for each measure with a column for each latency: the best peer, and Muster's ratio to it by round. */
export function bestRows(measured: readonly Measured[]): Row[] {
  return measures.map((measure) => ({
    measure: measure.name,
    ...Object.fromEntries(measured.map((one) => [`${one.latencyMs} ms`, bestCell(one, measure)])),
  }));
}

function bestCell(one: Measured, measure: Measure): string {
  const best = bestPeer(one, measure);
  return best === undefined ? '–' : `${best}: ${ratios(one, best, measure)}`;
}

/**
 * Returns the name of the best peer. Only peers that keep their jobs in Postgres are compared by Postgres' CPU. Muster
 * and the bare loop are no peers.
 */
export function bestPeer({ turns }: Measured, { name: measure, isBetter, of }: Measure): string | undefined {
  const peers = [...turns].filter(([name]) => name !== ours && name !== loop);
  const compared = measure === 'Postgres µs' ? peers.filter(([, each]) => !hasOtherStore(each)) : peers;
  const sign = isBetter === 'higher' ? -1 : 1;
  const figureOf = (each: readonly MeasuredTurn[]) => sign * median(each.map(of));
  return compared.toSorted(([, a], [, b]) => figureOf(a) - figureOf(b))[0]?.[0];
}

function hasOtherStore(turns: readonly MeasuredTurn[]): boolean {
  return turns.some(({ cpu }) => otherStores.some((store) => store in cpu));
}

/** Returns the median of Muster's ratios to a contestant, and the ratio of each round; a dash if it used nothing. */
function ratios({ turns }: Measured, name: string, { of }: Measure): string {
  const theirs = (turns.get(name) ?? []).map(of);
  const each = (turns.get(ours) ?? []).map((turn, round) => of(turn) / (theirs[round] ?? Number.NaN));
  if (!each.every(Number.isFinite)) return '–';
  return `${median(each).toFixed(2)} (${each.map((ratio) => ratio.toFixed(2)).join(' ')})`;
}

/** Returns a row for each contestant at one latency, with Muster's ratios to it by round. */
export function equalRows(one: Measured): Row[] {
  return [...one.turns].map(([name, turns]) => ({
    case: name,
    ...Object.fromEntries(measures.map((measure) => [measure.name, rounded(median(turns.map(measure.of)))])),
    ...Object.fromEntries(measures.map((measure) => [`Muster ÷ it, ${measure.name}`, ratios(one, name, measure)])),
    'calls at once': Math.max(...turns.map(({ callsAtOnce }) => callsAtOnce)),
  }));
}
