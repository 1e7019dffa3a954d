import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRepeatOptions } from './repeat-options.ts';
import { judgeRun, renderRate, renderRun } from './repeated-runs.ts';
import type { Result } from './results.ts';

const test = (name: string, state: 'passed' | 'failed' | 'skipped'): Result => {
  return { kind: 'test', tier: 'e2e', file: 'a.test.ts', name, state };
};

describe('a run of a repeated file', () => {
  it('passes if it ended well and a test has passed', () => {
    expect(judgeRun(0, [test('a', 'passed'), test('b', 'skipped')])).toEqual([]);
  });

  it.each<[string, number | null, Result[], string[]]>([
    ['if a test failed', 1, [test('a', 'passed'), test('b', 'failed')], ['b']],
    ['if no test passed', 0, [test('a', 'skipped')], ['no test has passed']],
    ['if only its exit code is not 0', 1, [test('a', 'passed')], ['the run ended with 1']],
    ['if a signal ended it', null, [test('a', 'passed')], ['the run ended with a signal']],
    [
      'if a hook failed',
      1,
      [
        test('a', 'passed'),
        {
          kind: 'file',
          tier: 'e2e',
          file: 'a.test.ts',
          beganMs: 0,
          endedMs: 1,
          failed: true,
          why: 'Hook timed out\nat',
        },
      ],
      ['a.test.ts: Hook timed out'],
    ],
  ])('fails %s', (_, code, results, failures) => {
    expect(judgeRun(code, results)).toEqual(failures);
  });

  it('is printed with its verdict, duration and failed tests', () => {
    expect(renderRun(8, 20, { seconds: 12.4, failures: ['b'] })).toBe('run  9 of 20  FAILED    12 s\n    b');
  });
});

describe('the rate of failures', () => {
  it('counts failed runs and failures by test', () => {
    const runs = [['b'], [], ['b', 'c'], []].map((failures) => ({ seconds: 1, failures }));
    expect(renderRate('a.test.ts', 4, runs).split('\n')).toEqual([
      'a.test.ts, load 4: 2 of 4 runs failed (50 %)',
      '   2 ×  b',
      '   1 ×  c',
    ]);
  });
});

describe('the options of a repeated file', () => {
  it('default to 20 runs without foreign load', () => {
    expect(readRepeatOptions(['a.test.ts'])).toEqual({ file: 'a.test.ts', times: 20, load: 0 });
    expect(readRepeatOptions(['a.test.ts', '--times', '5', '--load', '4'])).toMatchObject({ times: 5, load: 4 });
  });

  it.each([
    [[], 'name one test file'],
    [['a.test.ts', 'b.test.ts'], 'name one test file'],
    [['a.test.ts', '--times', '0'], '--times 0: has to be a whole number from 1'],
    [['a.test.ts', '--load', 'high'], '--load high: has to be a whole number from 0'],
  ])('are rejected if they name no run: %j', (args, message) => {
    expect(() => readRepeatOptions(args)).toThrow(message);
  });
});

describe('the foreign load', () => {
  it('ends with the process that started it, also if that process is killed', async () => {
    const module = path.join(import.meta.dirname, 'foreign-load.ts');
    const script = `import { startForeignLoad } from ${JSON.stringify(module)};
      startForeignLoad(1);
      const { readFileSync } = await import('node:fs');
      console.log(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8'));
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', script]);
    const printed = Promise.withResolvers<string>();
    parent.stdout.once('data', (output: Buffer) => printed.resolve(output.toString()));
    const burner = Number((await printed.promise).trim());
    expect(burner).toBeGreaterThan(0);
    parent.kill('SIGKILL');
    await expect.poll(() => isRunning(burner), { timeout: 20_000 }).toBe(false);
  });
});

/** A zombie has ended. */
async function isRunning(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return state !== '' && !/^\d+ \(.*\) Z/.test(state);
}
