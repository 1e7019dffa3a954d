import { describe, expect, it } from 'vitest';
import { runSteps, StepFailedError } from './run-steps.ts';

const node = (name: string, script: string) => ({ name, command: [process.execPath, '-e', script] as const });

describe('the steps of a release', () => {
  it('stop at the first failed step, and the error lists the remaining steps', async () => {
    const steps = [node('pass', ''), node('fail', 'process.exit(3)'), node('publish', '')];
    const running = runSteps(steps, { root: '.', environment: process.env, report: () => undefined });
    const error: unknown = await running.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StepFailedError);
    expect(error).toMatchObject({ left: steps.slice(1) });
    await expect(running).rejects.toThrow('could not fail');
  });

  it('stop during the current step if they are aborted', async () => {
    const ending = new AbortController();
    // If the abort had no effect, the step would succeed after its ten seconds.
    const steps = [node('wait', 'setTimeout(() => undefined, 10_000)'), node('publish', '')];
    const report = () => setImmediate(() => ending.abort());
    const running = runSteps(steps, { root: '.', environment: process.env, report, until: ending.signal });
    await expect(running).rejects.toThrow('could not wait');
  });
});
