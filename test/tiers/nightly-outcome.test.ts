import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './commands.ts';
import { forPage, outcomeOfCommand, outcomeOfTests, runPart, type PlannedPart } from './nightly-outcome.ts';
import { parseNightlyPage, renderNightlyPage } from './nightly-page.ts';
import type { Result } from './results.ts';

/** Typed, unlike what it stands for. */
const containing = (text: string): unknown => expect.stringContaining(text);

const good = { passed: true, what: 'all of it', view: '3 passed' };
const part = (changes: Partial<PlannedPart> = {}): PlannedPart => {
  return { name: 'soak', limitMinutes: 30, needs: [], run: () => Promise.resolve(good), ...changes };
};
const turn = { untilMs: 3_600_000, nowMs: () => 0, has: () => true };

describe('a part of the nightly run', () => {
  it('gets its own time limit, or the remaining time of the night', async () => {
    const requested: number[] = [];
    const run = (withinMs: number) => {
      requested.push(withinMs);
      return Promise.resolve(good);
    };
    expect(await runPart(part({ run }), turn)).toEqual(good);
    await runPart(part({ run }), { ...turn, nowMs: () => 3_000_000 });
    expect(requested).toEqual([1_800_000, 600_000]);
  });

  it('fails with the reason if it throws', async () => {
    const broken = part({ run: () => Promise.reject(new Error('spawn etcd ENOENT')) });
    const came = await runPart(broken, turn);
    expect(came.passed).toBe(false);
    expect(came.view).toContain('spawn etcd ENOENT');
  });

  it('fails without a start if a program is missing or no time is left', async () => {
    const run = () => Promise.reject(new Error('it was begun'));
    const needing = part({ run, needs: ['etcd', 'haproxy'] });
    const without = await runPart(needing, { ...turn, has: (program) => program === 'etcd' });
    expect(without).toMatchObject({ passed: false, view: containing('not there: haproxy') });
    const late = await runPart(part({ run }), { ...turn, nowMs: () => turn.untilMs - 1000 });
    expect(late).toMatchObject({ passed: false, view: 'no time was left for it' });
  });
});

const test = (name: string, state: 'passed' | 'failed'): Result => {
  return { kind: 'test', tier: 'faults', file: 'a.test.ts', name, state };
};

describe('the outcome of tests', () => {
  const ended = { code: 0, withinMs: 60_000 };

  it('is passed if all commands ended well and a test has passed', () => {
    expect(outcomeOfTests('faults', [ended, ended], [test('a', 'passed')]).passed).toBe(true);
  });

  it('is failed if no test has passed or nothing was started, whatever the exit code', () => {
    expect(outcomeOfTests('faults', [ended], [])).toMatchObject({
      passed: false,
      view: containing('no test has passed'),
    });
    expect(outcomeOfTests('faults', [], [test('a', 'passed')]).passed).toBe(false);
  });

  it('is failed if one of several shards did not end well, and names the time limit', () => {
    const cut = { code: null, withinMs: 7_200_000 };
    const came = outcomeOfTests('faults', [ended, cut], [test('a', 'passed')]);
    expect(came).toMatchObject({ passed: false, view: containing('it has 120 min at most') });
  });

  it('names each failed test, and each failed file without a failed test', () => {
    const broken: Result = {
      kind: 'file',
      tier: 'faults',
      file: 'b.test.ts',
      beganMs: 0,
      endedMs: 1,
      failed: true,
      why: 'there is no Kafka\n  at …',
    };
    const { view } = outcomeOfTests('faults', [{ ...ended, code: 1 }], [test('row 3 > stands', 'failed'), broken]);
    expect(view).toContain('FAILED a.test.ts: row 3 > stands\nFAILED b.test.ts: there is no Kafka\n');
  });
});

it('a command without output has failed', () => {
  expect(outcomeOfCommand('soak', { code: 0, withinMs: 1 }, ' \n')).toMatchObject({ passed: false });
  expect(outcomeOfCommand('soak', { code: 0, withinMs: 1 }, '| soak | 0 |\n')).toMatchObject({
    passed: true,
    view: '| soak | 0 |',
  });
});

describe('output on the nightly page', () => {
  it('contains no local folder and cannot close its code block', () => {
    const reported = `at ${root}/test/a.ts\n\u001b[31m${path.join(tmpdir(), 'muster-1')}\u001b[39m\n\`\`\`\nmore`;
    const page = forPage(reported);
    expect(page).toBe(`at ./test/a.ts\n<tmp>/muster-1\n'''\nmore`);
    const written = { name: 'soak', lastRun: 'today', passed: false, what: 'soak', view: page };
    expect(parseNightlyPage(renderNightlyPage([written], 'two cores'))).toEqual([written]);
  });

  it('is cut to its last two hundred lines', () => {
    const lines = forPage(Array.from({ length: 1000 }, (_, index) => String(index)).join('\n')).split('\n');
    expect(lines).toHaveLength(201);
    expect([lines[0], lines.at(-1)]).toEqual(['… 800 lines before', '999']);
  });
});
