import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { baseImages } from './base-images.ts';
import { writeChecksums } from './checksums.ts';
import { bump, pin, release } from './commands.ts';
import { StepFailedError } from './run-steps.ts';
import { findVersions } from './version-places.ts';

/**
 * A checkout with its own git history, and stand-ins for the programs that need a network. Each stand-in records its
 * arguments.
 */
const real = path.join(import.meta.dirname, '../..');
const digest = `sha256:${'0a'.repeat(32)}`;

let folder: string;
let root: string;
let environment: NodeJS.ProcessEnv;
let printed: string[];

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@muster.test', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
const commitAll = () => {
  git('add', '-A');
  git('commit', '-q', '-m', 'A state');
};
const terms = () => ({ root, environment, report: (line: string) => void printed.push(line) });
const calls = () => {
  const record = path.join(folder, 'calls');
  return existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n') : [];
};
const text = (file: string) => readFileSync(path.join(root, file), 'utf8');

function standIn(program: string, does = ''): void {
  const file = path.join(folder, 'bin', program);
  writeFileSync(file, `#!/bin/sh\necho "${program} $*" >> '${path.join(folder, 'calls')}'\n${does}\n`);
  chmodSync(file, 0o755);
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-release-'));
  root = path.join(folder, 'checkout');
  mkdirSync(path.join(folder, 'bin'));
  printed = [];
  const files = ['docker-compose.yml', 'docs/CHANGELOG.md', 'migrations/released-version', 'migrations/oldest-version'];
  for (const file of [...files, '.gitignore', ...findVersions(real).map((one) => one.file)]) {
    cpSync(path.join(real, file), path.join(root, file), { recursive: true });
  }
  writeFileSync(path.join(root, 'docs/CHANGELOG.md'), '# Changes\n\n## [Unreleased]\n\n- All of it\n');
  writeFileSync(path.join(root, 'migrations/released-version'), 'none\n');
  git('init', '-q', '-b', 'main');
  git('init', '-q', '--bare', path.join(folder, 'origin'));
  git('remote', 'add', 'origin', path.join(folder, 'origin'));
  commitAll();
  for (const program of ['npm', 'node', 'helm', 'python3', 'mvn']) standIn(program);
  standIn('docker', `if [ "$2" = imagetools ]; then echo ${digest}; fi`);
  const someone = { GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@muster.test' };
  const searched = `${path.join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;
  environment = { ...process.env, ...someone, PATH: searched, HELM: undefined };
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a version, a changelog and digests, and commits everything. */
function prepare(version: string): void {
  bump(terms(), version, '2026-12-01');
  commitAll();
  pin(terms());
  commitAll();
  rmSync(path.join(folder, 'calls'));
  printed = [];
}

describe('a release', () => {
  it('is built and published step by step, with the tag last', async () => {
    prepare('3.0.0');
    await release(terms(), { registry: 'registry.test/acme', isDryRun: false });
    const out = path.join(root, '.cache/release/3.0.0');
    expect(calls().map((call) => call.replaceAll(out, 'out').split(' ').slice(0, 3).join(' '))).toEqual([
      'node deploy/release/write-bill.ts .',
      'node deploy/release/write-bill.ts sdk',
      'npm pack --pack-destination',
      'python3 -m pip',
      'mvn --batch-mode --quiet',
      'helm package deploy/helm/muster',
      'docker buildx build',
      'node deploy/release/write-checksums.ts out',
      'docker buildx build',
      'helm push out/muster-3.0.0.tgz',
      'npm publish out/muster-sdk-3.0.0.tgz',
    ]);
    expect(git('ls-remote', 'origin', 'v3.0.0^{}').split('\t')[0]).toBe(git('rev-parse', 'HEAD').trim());
    expect(git('status', '--porcelain')).toBe('');
  });

  it('stops at a failed step and lists the steps that were not executed', async () => {
    prepare('3.0.0');
    standIn('helm', 'exit 3');
    const failed: unknown = await release(terms(), { registry: 'registry.test/acme', isDryRun: false }).catch(
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(StepFailedError);
    if (!(failed instanceof StepFailedError)) return;
    expect(failed.message).toBe('could not package the chart: helm ended with 3');
    expect(failed.left.map(({ name }) => name)).toEqual([
      ...['package the chart', 'build the image', 'write the checksums', 'push the image', 'push the chart'],
      ...['publish the SDK', 'make the tag', 'push the tag'],
    ]);
    expect(calls().filter((call) => call.startsWith('docker'))).toEqual([]);
    expect(git('tag', '--list')).toBe('');
  });

  it('is built but not published without a registry', async () => {
    prepare('3.0.0');
    await release(terms(), { registry: undefined, isDryRun: false });
    expect(calls().filter((call) => /push|publish/.test(call))).toEqual([]);
    expect(git('tag', '--list')).toBe('');
  });

  it('prints its steps and executes none in a dry run', async () => {
    prepare('3.0.0');
    await release(terms(), { registry: 'registry.test/acme', isDryRun: true });
    expect(printed).toHaveLength(13);
    expect(printed.at(-1)).toBe('push the tag: git push origin v3.0.0');
    expect(calls()).toEqual([]);
    expect(existsSync(path.join(root, '.cache'))).toBe(false);
  });

  it('is refused before its first step, with all causes and fixes', async () => {
    rmSync(path.join(folder, 'bin/docker'));
    writeFileSync(path.join(root, 'notes.txt'), 'not committed');
    const bare = { ...terms(), environment: { PATH: path.join(folder, 'bin') } };
    const refused: unknown = await release(bare, { registry: undefined, isDryRun: false }).catch(
      (error: unknown) => error,
    );
    const problems = String(refused).split('\n');
    expect(problems).toContain('RefusedError: the checkout differs from its commit: ?? notes.txt');
    expect(problems).toContainEqual(expect.stringMatching(/^docs\/CHANGELOG.md says nothing of /));
    expect(problems).toContainEqual(expect.stringMatching(/^docker is not there: install Docker with buildx/));
    expect(problems).toContain('git is not there: install git');
    expect(calls()).toEqual([]);
  });
});

describe('digests of base images', () => {
  it('are looked up and written after every image name, and replaced on the next run', () => {
    const before = baseImages(root).map(({ name }) => name);
    pin(terms());
    pin(terms());
    expect(baseImages(root).map(({ name }) => name)).toEqual(before);
    expect(new Set(baseImages(root).map((image) => image.digest))).toEqual(new Set([digest]));
    expect(text('deploy/Dockerfile')).toContain(`node:24.21.0-slim@${digest} AS dependencies`);
    expect(text('docker-compose.yml')).toContain('image: muster\n');
  });

  it('are not written if the look-up returns something other than a digest', () => {
    standIn('docker', 'echo not found');
    expect(() => pin(terms())).toThrow('is "not found", which is none');
    expect(git('status', '--porcelain')).toBe('');
  });
});

describe('a version bump', () => {
  it('writes the version into every file, the changelog and the base of upgrade tests', () => {
    git('tag', 'v2.9.0');
    bump(terms(), '3.0.0', '2026-12-01');
    expect(new Set(findVersions(root).map(({ version }) => version))).toEqual(new Set(['3.0.0']));
    expect(text('docs/CHANGELOG.md')).toContain('## [Unreleased]\n\n## [3.0.0] - 2026-12-01\n\n- All of it');
    expect(text('migrations/released-version')).toBe('v2.9.0\n');
  });

  it('changes nothing if the changelog has no unreleased text', () => {
    prepare('3.0.0');
    expect(() => bump(terms(), '3.1.0', '2026-12-02')).toThrow('nothing to release');
    expect(git('status', '--porcelain')).toBe('');
  });
});

it('writeChecksums writes a file that sha256sum --check accepts', async () => {
  writeFileSync(path.join(folder, 'bin/a file'), 'text');
  await writeChecksums(path.join(folder, 'bin'));
  await writeChecksums(path.join(folder, 'bin'));
  const compared = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], {
    cwd: path.join(folder, 'bin'),
    encoding: 'utf8',
  });
  expect(compared.stdout).toContain('a file: OK');
  expect(compared.status).toBe(0);
});

it.each<[string[], string]>([
  [[], 'npm run release -- <command>'],
  [['build', '--publish'], '--publish: where to? --registry ghcr.io/acme'],
  [['build', '--pretend'], `Unknown option '--pretend'`],
])('the release command with %j prints its usage error', (args, answer) => {
  const { status, stderr } = spawnSync(process.execPath, [path.join(import.meta.dirname, 'main.ts'), ...args], {
    encoding: 'utf8',
  });
  expect(stderr).toContain(answer);
  expect(status).toBe(1);
});
