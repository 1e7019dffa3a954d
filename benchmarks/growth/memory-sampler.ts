import { readFileSync } from 'node:fs';
import { residentMiB } from '../cpu.ts';

export interface Memory {
  peakMiB: number;
  endMiB: number;
}

const sampleMs = 500;

/**
 * Samples the memory of processes by name until it is stopped. Processes of a name are added up, what they share
 * counted once.
 */
export function startMemorySampler(
  processes: Readonly<Record<string, () => readonly number[]>>,
): () => Record<string, Memory> {
  const memory: Record<string, Memory> = {};
  const sample = () => {
    for (const [name, pids] of Object.entries(processes)) {
      const [only, ...more] = pids();
      const endMiB = more.length === 0 && only !== undefined ? residentMiB(only) : sumOfShares(pids());
      memory[name] = { endMiB, peakMiB: Math.max(memory[name]?.peakMiB ?? 0, endMiB) };
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

/** Each process's share of what it maps: the backends of a database have its buffers in common. Linux only. */
function sumOfShares(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + shareMiB(pid), 0);
}

function shareMiB(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
