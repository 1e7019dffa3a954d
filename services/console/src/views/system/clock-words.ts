import type { System } from '#client/types.gen.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import type { Mend } from './mend.ts';

/** A version that processes use, with their number and names. */
export interface RunBy {
  value: string;
  processes: number;
  names: string[];
}

type Runtimes = System['runtimes'];

/** Returns the versions of zone data or Node, the one of most processes first. */
export function runBy(of: 'zoneData' | 'node', { runtimes }: { runtimes: Runtimes }): RunBy[] {
  return [...Map.groupBy(runtimes, (runtime) => runtime[of])]
    .map(([value, alike]) => ({
      value,
      processes: alike.reduce((sum, { processes }) => sum + processes, 0),
      names: alike.flatMap(({ names }) => names),
    }))
    .toSorted((one, other) => other.processes - one.processes);
}

/** Describes versions: `2026c in all 35 processes`, or the number of processes of each. */
export function runByInWords(all: readonly RunBy[]): string {
  const [usual, ...others] = all;
  if (!usual) return 'no process says it';
  if (others.length === 0) {
    const { value, processes } = usual;
    return processes === 1 ? `${value} in the one process` : `${value} in all ${formatCount(processes)} processes`;
  }
  return all.map(({ value, processes }) => `${value} in ${formatCount(processes)}`).join(', ');
}

/** Describes the clocks: `at most 4 ms apart`; or that they are not compared yet. */
export function clocksInWords({ apartMs, offCount }: System['clocks']): string {
  if (apartMs === null) return 'not compared yet';
  const apart = `at most ${formatCount(apartMs)} ms apart`;
  return offCount === 0 ? apart : `${countOf(offCount, 'process is', 'processes are')} off, ${apart}`;
}

/** Returns the problem of each deviating clock. If most deviate, the database's clock is the problem. */
export function offClocks({ clocks: { known, offCount, off } }: Pick<System, 'clocks'>): Mend[] {
  const [worst] = off;
  if (!worst) return [];
  if (offCount > 1 && offCount * 2 > known) {
    return [
      {
        key: 'clocks',
        title: `${formatCount(offCount)} of ${formatCount(known)} clocks are off the database’s:`,
        text: `${worst.name} is ${farInWords(worst.aheadMs)}, so it is rather the database’s that is wrong. What is due, and whose lease runs, goes by that one: mend it by NTP first.`,
      },
    ];
  }
  const shown = off.map(({ name, service, region, aheadMs }) => ({
    key: `clock ${name}`,
    title: `The clock of ${name} is ${farInWords(aheadMs)} the database’s.`,
    text: `It is a ${service} in ${region}. What is due goes by the database’s clock, so nothing is called early; times in its logs, and what it measures between machines, are wrong. Mend it by NTP.`,
  }));
  const more = offCount - off.length;
  if (more <= 0) return shown;
  const text = 'muster doctor names the worst of them too.';
  return [...shown, { key: 'more clocks', title: `${countOf(more, 'more clock is', 'more clocks are')} off.`, text }];
}

function farInWords(aheadMs: number): string {
  return `${formatCount(Math.abs(aheadMs))} ms ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}

/** Returns the processes whose zone data differs from that of most. */
export function oddZoneData(system: Pick<System, 'runtimes'>): Mend[] {
  const [usual, ...others] = runBy('zoneData', system);
  if (!usual) return [];
  return others.map(({ value, processes, names }) => {
    const [name = 'one process'] = names;
    const who = processes === 1 ? `${name} goes` : `${formatCount(processes)} processes go`;
    const listed =
      processes === 1 ? '' : `They are ${names.join(', ')}${names.length < processes ? ' and others' : ''}. `;
    return {
      key: `zone data ${value}`,
      title: `${who} by zone data ${value}, the other ${formatCount(usual.processes)} by ${usual.value}.`,
      text: `${listed}Where a country changed its clocks between the two, a local time is another moment for each. Run all of them with the same image or Node.`,
    };
  });
}

/** Returns the line about clocks for the copied text. */
export function clockLine({ clocks }: Pick<System, 'clocks'>): string {
  const off = clocks.off.map(({ name, aheadMs, withinMs }) => `${name} ${aheadMs} ms ahead, to ${withinMs} ms`);
  return `clocks: ${[clocksInWords(clocks), ...off].join('; ')}`;
}

export function runtimeLines({ runtimes }: Pick<System, 'runtimes'>): string[] {
  return runtimes.map(({ zoneData, node, processes }) => `zone data ${zoneData}, Node ${node}: ${processes} processes`);
}
