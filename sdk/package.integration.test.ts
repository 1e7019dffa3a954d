import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { testApiKey } from '../test/support/api-deps.ts';
import { apiOnPostgres } from '../test/support/api-on-postgres.ts';

const run = promisify(execFile);
const compiler = join(import.meta.dirname, '../node_modules/typescript/bin/tsc');

/**
 * A program of another team. It schedules jobs by the short functions of the SDK, and uses the typed operations of the
 * API for everything else.
 */
const program = `
import { createMuster, MusterProblem } from 'muster-sdk';
import { listClients } from 'muster-sdk/operations';
import type { Job } from 'muster-sdk/types';

const [url = '', apiKey = ''] = process.argv.slice(2);
const muster = createMuster({ url, apiKey });
const { data } = await listClients({ client: muster.api, query: { limit: 5 } });
const { id } = await muster.schedule({ client: 'orders', url: 'https://shop.test/hook', delaySeconds: 60 });
const state: Job['state'] = (await muster.job(id)).state;
const refused = await muster.job('job_none').catch((error: unknown) => error instanceof MusterProblem);
console.log(JSON.stringify({ clients: data.items.map(({ name }) => name), state, refused }));
`;

const settings = {
  compilerOptions: {
    strict: true,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    outDir: 'out',
    skipLibCheck: false,
  },
};

const api = apiOnPostgres();

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-sdk-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

it('the SDK package installs offline into an empty folder, compiles and runs', async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: import.meta.dirname });
  const [packed] = z.array(z.object({ filename: z.string() })).parse(JSON.parse(stdout));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  const quietly = ['--offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quietly, `./${packed?.filename ?? ''}`], { cwd: folder });
  expect((await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual(['muster-sdk']);

  await writeFile(join(folder, 'globals.d.ts'), 'declare const process: { argv: string[] };\n');
  await writeFile(join(folder, 'program.ts'), program);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const compiled = await run(process.execPath, [compiler, '-p', folder]).catch((error: unknown) => error);
  expect(compiled).toMatchObject({ stdout: '' });

  const url = await api.start();
  await api.ask('POST', '/v1/clients', { name: 'orders' });
  const ended = await run(process.execPath, [join(folder, 'out/program.js'), url, testApiKey]);
  expect(JSON.parse(ended.stdout)).toEqual({ clients: ['orders'], state: 'pending', refused: true });
}, 120_000);
