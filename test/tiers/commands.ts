import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

const killAfterMs = 20_000;

export interface CommandOptions {
  /** Working directory; the repository's root unless given. */
  folder?: string;
  environment?: Record<string, string>;
  /** Gets what it writes, which is otherwise shown as it comes. */
  onOutput?: (text: string) => void;
  /** The command is ended when this has passed. */
  withinMs?: number;
  /** Called right before the command is ended, by `withinMs` or `until`. */
  onEnding?: () => void;
  /** Or when this is aborted. */
  until?: AbortSignal;
  /**
   * With all that it has started, whatever that is at: a loop without an end hears nothing of its parent. It is ended
   * by a signal to this process, too.
   */
  endsWhole?: boolean;
}

/**
 * Runs a command. Returns its exit code, or null if it had to be ended or a signal ended it: vitest, for one, answers a
 * signal with an exit code of its own.
 */
export async function run(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<number | null> {
  const { folder = root, environment, onOutput, withinMs, onEnding, until, endsWhole = false } = options;
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    detached: endsWhole,
  });
  const end = (signal: NodeJS.Signals) => (endsWhole ? endGroup(child, signal) : child.kill(signal));
  if (endsWhole) endWithUs(child);
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => onOutput?.(chunk.toString()));
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  const endNow = () => {
    isEnded = true;
    onEnding?.();
    end('SIGTERM');
    timer = setTimeout(() => end('SIGKILL'), killAfterMs);
  };
  if (withinMs !== undefined) timer = setTimeout(endNow, withinMs);
  until?.addEventListener('abort', endNow, { once: true });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      until?.removeEventListener('abort', endNow);
      // What is left of it now would be left for good.
      const result = isEnded ? null : code;
      if (endsWhole && result === null) endGroup(child, 'SIGKILL');
      resolve(result);
    });
  });
}

/** Vitest's exit code, or null where it had to be ended. */
export function runVitest(args: readonly string[], options: CommandOptions = {}): Promise<number | null> {
  return run(process.execPath, [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], options);
}

const underWay = new Set<ChildProcess>();
let isReceived = false;

/** Groups of their own hear nothing of a terminal's Ctrl-C, nor of a signal to this process. */
function endWithUs(child: ChildProcess): void {
  underWay.add(child);
  child.once('exit', () => underWay.delete(child));
  if (isReceived) return;
  isReceived = true;
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.once(signal, () => {
      for (const each of underWay) endGroup(each, 'SIGTERM');
      process.exit(code);
    });
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of it is left.
  }
}
