import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Step } from './plan.ts';

/** A failed step, and the steps that were skipped because of it. */
export class StepFailedError extends Error {
  readonly left: readonly Step[];

  constructor(message: string, left: readonly Step[]) {
    super(message);
    this.left = left;
  }
}

export interface RunTerms {
  root: string;
  environment: NodeJS.ProcessEnv;
  report: (line: string) => void;
  /** Aborts the running step, which then counts as failed. */
  until?: AbortSignal;
}

/**
 * Runs steps in order, and reports each before it runs.
 * @throws {StepFailedError} at the first failure
 */
export async function runSteps(steps: readonly Step[], terms: RunTerms): Promise<void> {
  for (const [place, step] of steps.entries()) {
    terms.report(`${step.name}: ${commandText(step)}`);
    const code = await runStep(step, terms);
    if (code !== 0)
      throw new StepFailedError(`could not ${step.name}: ${step.command[0]} ended with ${code}`, steps.slice(place));
  }
}

/** Returns the exit code, the signal that ended the step, or the reason why it did not start. */
async function runStep(
  { command, folder = '' }: Step,
  { root, environment, until }: RunTerms,
): Promise<number | string> {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: path.join(root, folder),
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
    ...(until && { signal: until }),
  });
  try {
    const ended: unknown[] = await once(child, 'close');
    const [code, signal] = ended;
    return typeof code === 'number' ? code : String(signal);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function commandText({ command, folder }: Step): string {
  const typed = command
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll(`'`, `'\\''`)}'`))
    .join(' ');
  return folder === undefined ? typed : `(cd ${folder} && ${typed})`;
}
