import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { root } from '../tiers/commands.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';

/** What the page starts in the background would hold the output open. */
const endsWhatItStarted = "trap 'jobs -p | xargs -r kill 2>/dev/null || true' EXIT";

/** As a newcomer would: `muster up`, and each line of a page behind the other. */
describe('the tutorials', () => {
  let database: TestDatabase;
  let up: ChildProcess;
  let access: NodeJS.ProcessEnv;

  beforeAll(async () => {
    database = await createEmptyTestDatabase();
    const servers = { INFRA: 'external', DATABASE_URL: database.url, KAFKA_BROKERS: inject('kafkaBrokers') };
    const args = [path.join(root, 'cli/muster.ts'), 'up', '--users', '20000'];
    const environment = { ...process.env, ...servers };
    const started = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
    up = started;
    started.stderr.setEncoding('utf8');
    let notes = '';
    for await (const text of started.stderr.iterator({ destroyOnReturn: false })) {
      notes += z.string().parse(text);
      if (notes.includes('serving until Ctrl-C')) break;
    }
    if (!notes.includes('export MUSTER_API_URL')) throw new Error(notes);
    started.stderr.resume();
    const [, url, key] = /export MUSTER_API_URL=(\S+) MUSTER_API_KEY=(\S+)/.exec(notes) ?? [];
    access = { ...process.env, MUSTER_API_URL: url, MUSTER_API_KEY: key };
  });
  afterAll(async () => {
    const ended = once(up, 'exit');
    up.kill('SIGINT');
    await ended;
    await database.drop();
  });

  /** Its shell blocks, without how Muster is started and what `muster up` printed. */
  function scriptOf(page: string): string {
    const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
    return blocks.filter((block) => !/^npm ci|^export MUSTER_API_URL/.test(block)).join('\n');
  }

  it.each([
    ['first-campaign', ['a dry run: nobody was called', 'completed with failures', 'balances', 'out-of-stock']],
    ['own-endpoint', ['keeps the contract of class A', 'give-stars revision 1', 'balances']],
    ['callbacks', ['connection refused', 'reminded of \\{"order":17\\}', 'called · POST']],
  ])('%s: every line of it works', async (name, said) => {
    const script = scriptOf(readFileSync(path.join(root, `docs/tutorials/${name}.md`), 'utf8'));
    const { code, out } = await new Promise<{ code: unknown; out: string }>((resolve) => {
      execFile(
        'bash',
        ['-euo', 'pipefail', '-c', `${endsWhatItStarted}\n${script}`],
        { cwd: root, env: access },
        (error, output, notes) => {
          resolve({ code: error?.code ?? 0, out: `${output}${notes}` });
        },
      );
    });
    expect({ code, out: code === 0 ? '' : out }).toEqual({ code: 0, out: '' });
    for (const word of said) expect(out).toMatch(new RegExp(word));
  });
});
