import { readdirSync, readFileSync } from 'node:fs';

/** Kernel ticks per second in /proc (USER_HZ): 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/**
 * Returns the CPU seconds, user and system, that a process used so far, including its threads and its ended children.
 * Returns 0 if the process is gone. Linux only. The ended children count because otherwise a database connection that
 * closes would reduce the sum.
 */
export function cpuSecondsOf(pid: number): number {
  try {
    // The process name in parentheses may contain blanks, so fields are counted from the closing parenthesis. utime,
    // stime, cutime and cstime are fields 14 to 17.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / ticksPerSecond;
  } catch {
    return 0;
  }
}

/** Returns the process and all its descendants: Postgres runs a process per connection. */
export function withDescendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // The process ended after the directory was listed.
    }
  }
  const found = [pid];
  for (const parent of found) for (const [child, itsParent] of parents) if (itsParent === parent) found.push(child);
  return found;
}

/** Returns the resident memory in MiB; 0 if the process has ended. Linux only. */
export function residentMiB(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/**
 * Returns a function that reads the CPU microseconds used since this call, by name. Processes with the same name are
 * added up.
 */
export function startCpuMeter(
  processes: Readonly<Record<string, () => readonly number[]>>,
): () => Record<string, number> {
  const read = () =>
    Object.entries(processes).map(
      ([name, pids]) => [name, pids().reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)] as const,
    );
  const before = new Map(read());
  return () => Object.fromEntries(read().map(([name, seconds]) => [name, (seconds - (before.get(name) ?? 0)) * 1e6]));
}

/**
 * Measures how busy other programs keep this machine, because a comparison beside a compilation proves little. The
 * returned function gives the share of all cores, 0 to 1, that neither this process nor the processes `ours` have used
 * since. Interrupts belong to no process and are left out.
 */
export function startForeignLoadMeter(ours: () => readonly number[]): () => number {
  const read = () => {
    const pids = new Set([process.pid, ...ours()]);
    return { ...readMachineSeconds(), ours: [...pids].reduce((sum, pid) => sum + cpuSecondsOf(pid), 0) };
  };
  const before = read();
  return () => {
    const now = read();
    const foreign = now.busy - before.busy - (now.ours - before.ours);
    return Math.max(0, foreign / (now.all - before.all));
  };
}

/**
 * CPU seconds since the machine's start, summed over all cores. `busy` is time in programs and in the kernel on their
 * behalf; `all` includes idle time.
 */
function readMachineSeconds(): { busy: number; all: number } {
  const [user = 0, nice = 0, system = 0, ...rest] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)
    .join('')
    .split(/\s+/)
    .slice(1, 9)
    .map((ticks) => Number(ticks) / ticksPerSecond);
  const busy = user + nice + system;
  return { busy, all: rest.reduce((sum, seconds) => sum + seconds, busy) };
}
