import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './commands.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-commands-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const node = (script: string, options: Parameters<typeof run>[2] = {}) =>
  run(process.execPath, ['-e', script], { folder, ...options });

describe('a command', () => {
  it('is ended after its time limit', async () => {
    expect(await node('setInterval(() => undefined, 1000)', { withinMs: 1 })).toBeNull();
  });

  it('counts as ended after its time limit even if it returns an exit code', async () => {
    const script = `process.on('SIGTERM', () => process.exit(143)); process.stdout.write('begun'); setInterval(() => undefined, 1000);`;
    const ending = new AbortController();
    const onOutput = () => ending.abort();
    expect(await node(script, { until: ending.signal, onOutput })).toBeNull();
  });

  it('announces its end to the caller before its process is stopped', async () => {
    const script = `process.on('SIGTERM', () => { process.stdout.write('ended'); process.exit(0); }); process.stdout.write('begun'); setInterval(() => undefined, 1000);`;
    const ending = new AbortController();
    let words = '';
    let before = '';
    const onOutput = (text: string) => {
      words += text;
      ending.abort();
    };
    await node(script, { until: ending.signal, onOutput, onEnding: () => (before = words) });
    expect([before, words]).toEqual(['begun', 'begunended']);
  });

  it('returns its exit code and streams its output', async () => {
    let words = '';
    const onOutput = (text: string) => (words += text);
    expect(await node('console.log("out"); console.error("err"); process.exit(3)', { onOutput })).toBe(3);
    expect(words.split('\n').toSorted()).toEqual(['', 'err', 'out']);
  });

  it('is killed with its child processes after its time limit, also in an endless loop', async () => {
    // It would hear a SIGTERM when the loop ends.
    const loop = `process.on('SIGTERM', () => undefined); require('node:fs').writeFileSync('child', String(process.pid)); for (;;);`;
    const parent = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(loop)}]); setInterval(() => {
      if (require('node:fs').existsSync('child')) process.stdout.write('begun');
    }, 10);`;
    const begun = Promise.withResolvers<undefined>();
    const ending = new AbortController();
    const onOutput = () => begun.resolve(undefined);
    const ended = node(parent, { endsWhole: true, until: ending.signal, onOutput });
    await begun.promise;
    const child = Number(await readFile(path.join(folder, 'child'), 'utf8'));
    ending.abort();
    expect(await ended).toBeNull();
    await expect.poll(() => isThere(child), { timeout: 20_000 }).toBe(false);
  });
});

/** A zombie that nobody waits for is gone as well. */
async function isThere(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return state !== '' && !/^\d+ \(.*\) Z/.test(state);
}
