import { readdirSync, readFileSync } from 'node:fs';

/** Kernel ticks per second in /proc (USER_HZ): 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/**
 * CPU seconds that a process, its threads and its children that have ended used so far, user and system; 0 when it is
 * gone. Linux only. Without those children, a database connection that closes would take its CPU out of the sum.
 */
export function cpuSecondsOf(pid: number): number {
  try {
    // The name in parentheses may hold blanks: fields are counted from behind it. utime, stime, cutime and cstime are
    // fields 14 to 17.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / ticksPerSecond;
  } catch {
    return 0;
  }
}

/** The process and everything below it: Postgres works in a process per connection. */
export function withDescendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It ended between the listing and the look.
    }
  }
  const found = [pid];
  for (const parent of found) for (const [child, itsParent] of parents) if (itsParent === parent) found.push(child);
  return found;
}

/** Resident memory in MiB; 0 when the process is gone. Linux only. */
export function residentMiB(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** CPU microseconds by name since the call. Processes of a name are added up. */
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
 * Starts to watch what everything else on this machine takes: the share of all cores, 0 to 1, that neither this process
 * nor those given used. Interrupts belong to no process and are left out. A comparison made beside a compilation says
 * little.
 */
export function startForeignLoadMeter(ours: () => readonly number[]): () => number {
  const read = () => {
    const pids = new Set([process.pid, ...ours()]);
    return { ...machineSeconds(), ours: [...pids].reduce((sum, pid) => sum + cpuSecondsOf(pid), 0) };
  };
  const before = read();
  return () => {
    const now = read();
    const foreign = now.busy - before.busy - (now.ours - before.ours);
    return Math.max(0, foreign / (now.all - before.all));
  };
}

/** Since the machine's start, over all cores: in programs and in the kernel on their behalf, and altogether. */
function machineSeconds(): { busy: number; all: number } {
  const [user = 0, nice = 0, system = 0, ...rest] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)
    .join('')
    .split(/\s+/)
    .slice(1, 9)
    .map((ticks) => Number(ticks) / ticksPerSecond);
  const busy = user + nice + system;
  return { busy, all: rest.reduce((sum, seconds) => sum + seconds, busy) };
}
