import { readFileSync } from 'node:fs';
import { residentMiB } from '../cpu.ts';

export interface Memory {
  peakMiB: number;
  endMiB: number;
}

const sampleMs = 500;

/**
 * Samples the memory of processes, by name, until the returned function is called. Processes of one name are added up.
 * Memory that they share is counted once, and a second figure leaves it out: a database fills its shared buffers up to
 * the configured size in any case.
 */
export function startMemorySampler(
  processes: Readonly<Record<string, () => readonly number[]>>,
): () => Record<string, Memory> {
  const memory: Record<string, Memory> = {};
  const note = (name: string, endMiB: number) => {
    memory[name] = { endMiB, peakMiB: Math.max(memory[name]?.peakMiB ?? 0, endMiB) };
  };
  const sample = () => {
    for (const [name, pids] of Object.entries(processes)) {
      const [only, ...more] = pids();
      if (more.length === 0 && only !== undefined) note(name, residentMiB(only));
      else {
        const shares = pids().map(sharesOf);
        note(name, sumOf(shares.map(({ all }) => all)));
        note(`${name} without shared memory`, sumOf(shares.map(({ all, shared }) => all - shared)));
      }
    }
  };
  sample();
  const timer = setInterval(sample, sampleMs);
  return () => {
    clearInterval(timer);
    sample();
    return memory;
  };
}

/**
 * Returns a process's proportional share of its mapped memory, in MiB. The backends of a database have its buffers in
 * common. Linux only; 0 if the process is gone.
 */
function sharesOf(pid: number): { all: number; shared: number } {
  try {
    const shares = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const mebibytesOf = (line: RegExp) => Number(line.exec(shares)?.[1] ?? 0) / 1024;
    return { all: mebibytesOf(/^Pss:\s+(\d+) kB/m), shared: mebibytesOf(/^Pss_Shmem:\s+(\d+) kB/m) };
  } catch {
    return { all: 0, shared: 0 };
  }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
