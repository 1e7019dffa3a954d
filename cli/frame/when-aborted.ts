import { exitCodes, type ExitCode } from './exit-codes.ts';

/** Resolves when the user presses Ctrl-C. This is the regular end, so the exit code is ok. */
export function whenAborted(signal: AbortSignal): Promise<ExitCode> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(exitCodes.ok);
    signal.addEventListener('abort', () => resolve(exitCodes.ok), { once: true });
  });
}
