import type { OffClock, ProcessRuntime, ProcessStanding } from '../../../shared/postgres/registry/process-standing.ts';

/**
 * Describes clock offsets and time zone data of all running processes.
 * @throws if any process deviates, with all deviations
 */
export function processLine({ clocks, runtimes }: ProcessStanding): string {
  const running = runtimes.reduce((sum, { processes }) => sum + processes, 0);
  if (running === 0) return 'none runs';
  const wrong = [
    ...clocks.off.map(offLine),
    ...beyondNamed(clocks.offCount - clocks.off.length),
    ...zoneLines(runtimes),
  ];
  if (wrong.length > 0) throw new Error(wrong.join('; '));
  const apart = clocks.apartMs === null ? 'their clocks are not known yet' : apartLine(clocks.apartMs);
  const zoneData = runtimes[0]?.zoneData ?? 'unknown';
  return `${running} run; ${apart}; zone data ${zoneData} in all of them`;
}

function apartLine(apartMs: number): string {
  return `their clocks and the database's are at most ${Math.ceil(apartMs)} ms apart`;
}

function offLine({ name, region, aheadMs, withinMs }: OffClock): string {
  const way = aheadMs > 0 ? 'ahead of' : 'behind';
  return `the clock of ${name} in ${region} is ${Math.abs(Math.round(aheadMs))} ms ${way} the database's, to ${Math.ceil(withinMs)} ms`;
}

function beyondNamed(count: number): string[] {
  return count > 0 ? [`${count} more are off`] : [];
}

/** Returns the processes with other zone data than most. */
function zoneLines(runtimes: readonly ProcessRuntime[]): string[] {
  const [usual, ...others] = [...Map.groupBy(runtimes, ({ zoneData }) => zoneData)]
    .map(([zoneData, of]) => ({
      zoneData,
      processes: of.reduce((sum, { processes }) => sum + processes, 0),
      names: of.flatMap(({ names }) => names).slice(0, 5),
    }))
    .toSorted((one, other) => other.processes - one.processes);
  return others.map(
    ({ zoneData, processes, names }) =>
      `${processes} of them (${names.join(', ')}) go by zone data ${zoneData}, ${usual?.processes ?? 0} by ${usual?.zoneData ?? ''}`,
  );
}
