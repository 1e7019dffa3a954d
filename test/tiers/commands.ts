import { spawn } from 'node:child_process';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

const killAfterMs = 20_000;

export interface CommandOptions {
  environment?: Record<string, string>;
  /** Gets what it writes, which is otherwise shown as it comes. */
  onOutput?: (text: string) => void;
  /** The command is ended when this has passed. */
  withinMs?: number;
}

/** Runs a command in the repository's root; its exit code, or null where it had to be ended. */
export async function run(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<number | null> {
  const { environment, onOutput, withinMs } = options;
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => onOutput?.(chunk.toString()));
  const timers =
    withinMs === undefined
      ? []
      : [
          setTimeout(() => child.kill('SIGTERM'), withinMs),
          setTimeout(() => child.kill('SIGKILL'), withinMs + killAfterMs),
        ];
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      for (const timer of timers) clearTimeout(timer);
      resolve(code);
    });
  });
}

/** Vitest's exit code, or null where it had to be ended. */
export function runVitest(args: readonly string[], options: CommandOptions = {}): Promise<number | null> {
  return run(process.execPath, [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], options);
}
