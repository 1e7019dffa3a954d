import { readdirSync, readFileSync } from 'node:fs';

const stopsWithinMs = 30_000;

/**
 * Suspends processes by SIGSTOP, and returns when none of their threads runs. The signal alone takes effect later, so a
 * process could still answer a request that a test sends afterwards. Processes that have ended are skipped.
 *
 * @throws {Error} if a thread still runs after 30 s
 */
export function freezeProcesses(...pids: readonly number[]): void {
  for (const pid of pids) signalIfThere(pid, 'SIGSTOP');
  const giveUpAt = Date.now() + stopsWithinMs;
  for (const pid of pids) {
    while (threadRuns(pid)) {
      if (Date.now() > giveUpAt) throw new Error(`process ${pid} still runs after SIGSTOP`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** Continues processes that were suspended. Processes that have ended are skipped. */
export function thawProcesses(...pids: readonly number[]): void {
  for (const pid of pids) signalIfThere(pid, 'SIGCONT');
}

function threadRuns(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).some((thread) => !'TtZX'.includes(stateOf(pid, thread)));
  } catch {
    // The process, or one of its threads, has ended in the meantime: a thread that is left is found by the next look.
    return isThere(pid);
  }
}

/** Returns the letter of proc(5): `T` if stopped, `Z` or `X` if ended. It follows the name, which may have spaces. */
function stateOf(pid: number, thread: string): string {
  const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
  return stat.charAt(stat.lastIndexOf(')') + 2);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended in the meantime.
  }
}
