import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { root } from '../tiers/commands.ts';
import { createEmptyTestDatabase } from '../support/postgres-database.ts';

/** Processes of `muster up`, started as a newcomer starts them. */
export interface StartedUp {
  /**
   * Environment with the two variables that `muster up` printed, and with `POSTGRES_URL`, which names an empty database
   * on its server.
   */
  environment: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** @param brokers of the Kafka of the tests. @param more further arguments of `muster up` */
export async function startUp(users: number, brokers: string, ...more: string[]): Promise<StartedUp> {
  const database = await createEmptyTestDatabase();
  const servers = { INFRA: 'external', DATABASE_URL: database.url, KAFKA_BROKERS: brokers };
  const args = [path.join(root, 'cli/muster.ts'), 'up', '--users', String(users), ...more];
  const up = spawn(process.execPath, args, {
    env: { ...process.env, ...servers },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const notes = await untilServing(up.stderr);
  const [, url, key] = /export MUSTER_API_URL=(\S+) MUSTER_API_KEY=(\S+)/.exec(notes) ?? [];
  return {
    environment: { ...process.env, MUSTER_API_URL: url, MUSTER_API_KEY: key, POSTGRES_URL: database.url },
    stop: async () => {
      const ended = once(up, 'exit');
      up.kill('SIGINT');
      await ended;
      await database.drop();
    },
  };
}

async function untilServing(stderr: Readable): Promise<string> {
  stderr.setEncoding('utf8');
  let notes = '';
  for await (const text of stderr.iterator({ destroyOnReturn: false })) {
    notes += z.string().parse(text);
    if (notes.includes('serving until Ctrl-C')) break;
  }
  if (!notes.includes('export MUSTER_API_URL')) throw new Error(notes);
  stderr.resume();
  return notes;
}

/** The shell blocks of a page, in their order, without the indent of those in lists. */
export function shellBlocks(page: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^( *)```sh\n(.*?)^\1```$/gms)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** Ends the background processes of a page, which would keep the output open. */
const endsWhatItStarted = "trap 'jobs -p | xargs -r kill 2>/dev/null || true' EXIT";

/** Line behind line, by a shell that stops at the first that fails. */
export async function runScript(script: string, env: NodeJS.ProcessEnv): Promise<{ code: unknown; out: string }> {
  const args = ['-euo', 'pipefail', '-c', `${endsWhatItStarted}\n${script}`];
  return new Promise((resolve) => {
    execFile('bash', args, { cwd: root, env }, (error, output, notes) => {
      resolve({ code: error?.code ?? 0, out: `${output}${notes}` });
    });
  });
}
