import type { System } from '#client/types.gen.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import type { OperatorProblem } from './operator-problem.ts';

/** A version that processes use, with their number and names. */
export interface RuntimeVersion {
  value: string;
  processes: number;
  names: string[];
}

type Runtimes = System['runtimes'];

/** Returns the versions of zone data or Node. The version that most processes use comes first. */
export function countVersions(of: 'zoneData' | 'node', { runtimes }: { runtimes: Runtimes }): RuntimeVersion[] {
  return [...Map.groupBy(runtimes, (runtime) => runtime[of])]
    .map(([value, group]) => ({
      value,
      processes: group.reduce((sum, { processes }) => sum + processes, 0),
      names: group.flatMap(({ names }) => names),
    }))
    .toSorted((a, b) => b.processes - a.processes);
}

/** Describes versions: `2026c in all 35 processes`, or the number of processes of each. */
export function formatVersions(all: readonly RuntimeVersion[]): string {
  const [mostCommon, ...others] = all;
  if (!mostCommon) return 'not reported';
  if (others.length === 0) {
    const { value, processes } = mostCommon;
    return processes === 1 ? `${value} in the one process` : `${value} in all ${formatCount(processes)} processes`;
  }
  return all.map(({ value, processes }) => `${value} in ${formatCount(processes)}`).join(', ');
}

/** Describes the clocks of the processes: `at most 4 ms apart`, or `not compared yet`. */
export function describeClocks({ apartMs, offCount }: System['clocks']): string {
  if (apartMs === null) return 'not compared yet';
  const apart = `at most ${formatCount(apartMs)} ms apart`;
  return offCount === 0 ? apart : `${countOf(offCount, 'process is', 'processes are')} off, ${apart}`;
}

/** Returns the problem of each deviating clock. If most deviate, the database's clock is the problem. */
export function findClockProblems({ clocks: { known, offCount, off } }: Pick<System, 'clocks'>): OperatorProblem[] {
  const [worst] = off;
  if (!worst) return [];
  if (offCount > 1 && offCount * 2 > known) {
    return [
      {
        key: 'clocks',
        title: `${formatCount(offCount)} of ${formatCount(known)} clocks deviate from the database’s:`,
        text: `${worst.name} is ${describeOffset(worst.aheadMs)} it, so the database’s clock is probably wrong. Due times and leases depend on it: synchronize it by NTP first.`,
      },
    ];
  }
  const clockProblems = off.map(({ name, service, region, aheadMs }) => ({
    key: `clock ${name}`,
    title: `The clock of ${name} is ${describeOffset(aheadMs)} the database’s.`,
    text: `It is a ${service} in ${region}. Due times use the database’s clock, so no call is early, but its log times and measurements between machines are wrong. Synchronize it by NTP.`,
  }));
  const more = offCount - off.length;
  if (more <= 0) return clockProblems;
  const text = 'Run muster doctor to list the worst of them.';
  return [
    ...clockProblems,
    { key: 'more clocks', title: `${countOf(more, 'more clock is', 'more clocks are')} off.`, text },
  ];
}

function describeOffset(aheadMs: number): string {
  return `${formatCount(Math.abs(aheadMs))} ms ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}

/** Returns a problem for the processes whose zone data differs from the most common version. */
export function findZoneDataProblems(system: Pick<System, 'runtimes'>): OperatorProblem[] {
  const [mostCommon, ...others] = countVersions('zoneData', system);
  if (!mostCommon) return [];
  return others.map(({ value, processes, names }) => {
    const [name = 'one process'] = names;
    const who = processes === 1 ? `${name} uses` : `${formatCount(processes)} processes use`;
    const listed =
      processes === 1 ? '' : `They are ${names.join(', ')}${names.length < processes ? ' and others' : ''}. `;
    return {
      key: `zone data ${value}`,
      title: `${who} zone data ${value}, the other ${formatCount(mostCommon.processes)} use ${mostCommon.value}.`,
      text: `${listed}If a country changed its clock rules between the two versions, local times differ. Use the same image or Node version for all processes.`,
    };
  });
}

/** Returns the line about clocks for the text that support receives. */
export function formatClockLine({ clocks }: Pick<System, 'clocks'>): string {
  const off = clocks.off.map(({ name, aheadMs, withinMs }) => `${name} ${aheadMs} ms ahead, to ${withinMs} ms`);
  return `clocks: ${[describeClocks(clocks), ...off].join('; ')}`;
}

export function formatRuntimeLines({ runtimes }: Pick<System, 'runtimes'>): string[] {
  return runtimes.map(({ zoneData, node, processes }) => `zone data ${zoneData}, Node ${node}: ${processes} processes`);
}
