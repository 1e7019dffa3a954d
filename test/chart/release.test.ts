import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { buildPlan } from '../../deploy/release/plan.ts';
import { runSteps } from '../../deploy/release/run-steps.ts';
import { packageVersion } from '../../shared/runtime/version.ts';
import { findHelm } from './helm.ts';

/**
 * Results of `npm run release -- build` for this checkout, by the real programs. There is no container engine, so a
 * stand-in writes the image's file.
 */
const root = path.join(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'muster-release-'));
const out = path.join(folder, 'out');
/** Steps that continued after a time-out would keep the worker process from ending. */
const ending = new AbortController();
const builtWith = path.join(folder, 'docker-arguments');

const bill = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.object({ name: z.string(), version: z.string(), type: z.string() }) }),
  components: z.array(z.object({ name: z.string(), version: z.string(), purl: z.string() })),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
const packageFile = z.object({
  name: z.string(),
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().default(false) })).default({}),
});

const billOf = (file: string) => bill.parse(JSON.parse(readFileSync(path.join(out, file), 'utf8')));
const listed = (archive: string) =>
  execFileSync('tar', ['-tzf', path.join(out, archive)], { encoding: 'utf8' }).split('\n');

/** `name@version` of all packages that the one in the folder needs, as Node would find them. */
function neededBy(folder: string, found = new Set<string>()): Set<string> {
  const own = packageFile.parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')));
  const peers = Object.keys(own.peerDependencies).filter((name) => own.peerDependenciesMeta[name]?.optional !== true);
  const isNeeded = (name: string) => !(name in own.optionalDependencies);
  for (const name of [...Object.keys(own.dependencies), ...peers].filter(isNeeded)) {
    const at = placeOf(name, folder);
    const { version } = packageFile.parse(JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8')));
    const isNew = !found.has(`${name}@${version}`);
    found.add(`${name}@${version}`);
    if (isNew) neededBy(at, found);
  }
  return found;
}

function placeOf(name: string, folder: string): string {
  const at = path.join(folder, 'node_modules', name);
  if (existsSync(at)) return at;
  if (folder === root) throw new Error(`${name} is not installed`);
  return placeOf(name, path.dirname(folder));
}

beforeAll(async () => {
  mkdirSync(out);
  mkdirSync(path.join(folder, 'bin'));
  const docker = path.join(folder, 'bin/docker');
  writeFileSync(
    docker,
    `#!/bin/sh
printf '%s\\n' "$@" > '${builtWith}'
for argument; do case $argument in type=oci,dest=*) echo image > "\${argument#type=oci,dest=}";; esac; done
`,
  );
  chmodSync(docker, 0o755);
  const searched = [path.join(folder, 'bin'), path.dirname(process.execPath), process.env['PATH'] ?? ''];
  const reported: string[] = [];
  const terms = {
    root,
    environment: { ...process.env, PATH: searched.join(':') },
    report: (line: string) => void reported.push(line),
    until: ending.signal,
  };
  const steps = buildPlan({ version: packageVersion, commit: 'c0ffee', out, helm: findHelm() });
  // Only the checksums need the results of the other steps, so these run at the same time. One after another they would
  // take minutes, because each is a process that uses part of one core.
  await Promise.all(steps.slice(0, -1).map((step) => runSteps([step], terms)));
  await runSteps(steps.slice(-1), terms);
  expect(reported).toHaveLength(8);
}, 300_000);
afterAll(() => {
  ending.abort();
  rmSync(folder, { recursive: true });
});

describe('a release', () => {
  it('consists of image, chart, SDK, kits, bills of materials and valid checksums', () => {
    expect(readdirSync(out).toSorted()).toEqual([
      'SHA256SUMS',
      `muster-${packageVersion}-image.cdx.json`,
      `muster-${packageVersion}-image.oci.tar`,
      `muster-${packageVersion}.tgz`,
      `muster-sdk-${packageVersion}.cdx.json`,
      `muster-sdk-${packageVersion}.jar`,
      `muster-sdk-${packageVersion}.tgz`,
      `muster_sdk-${packageVersion}-py3-none-any.whl`,
    ]);
    const compared = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: out, encoding: 'utf8' });
    expect(compared.trimEnd().split('\n')).toHaveLength(7);
  });

  it('builds the image for two platforms from the Dockerfile', () => {
    const given = readFileSync(builtWith, 'utf8').trimEnd().split('\n');
    expect(given).toEqual(expect.arrayContaining(['linux/amd64,linux/arm64', '--provenance=mode=max', '--sbom=true']));
    expect(given).toContain('deploy/Dockerfile');
    expect(given.at(-1)).toBe('.');
  });

  it('lists in the bill of the image exactly the runtime packages with their versions', () => {
    const { metadata, components, dependencies } = billOf(`muster-${packageVersion}-image.cdx.json`);
    expect(metadata.component).toMatchObject({ name: 'muster', version: packageVersion, type: 'application' });
    const answered = components.map(({ name, version }) => `${name}@${version}`);
    expect(answered.toSorted()).toEqual([...neededBy(root)].toSorted());
    const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    expect(needs.get(`muster@${packageVersion}`)).toContain(answered.find((name) => name.startsWith('pg@')));
    expect([...needs.values()].flat().filter((ref) => !answered.includes(ref))).toEqual([]);
  });

  it('lists in the bill of the SDK no dependency', () => {
    const { metadata, components } = billOf(`muster-sdk-${packageVersion}.cdx.json`);
    expect(metadata.component).toMatchObject({ name: 'muster-sdk', version: packageVersion, type: 'library' });
    expect(components).toEqual([]);
  });

  it('contains a chart of this version with templates and dashboards', () => {
    const archive = path.join(out, `muster-${packageVersion}.tgz`);
    const chart: unknown = parse(execFileSync(findHelm(), ['show', 'chart', archive], { encoding: 'utf8' }));
    expect(chart).toMatchObject({ name: 'muster', version: packageVersion, appVersion: packageVersion });
    expect(listed(`muster-${packageVersion}.tgz`)).toEqual(
      expect.arrayContaining(['muster/templates/services.yaml', 'muster/dashboards/muster-campaigns.json']),
    );
  });

  it('contains a built SDK without sources', () => {
    const files = listed(`muster-sdk-${packageVersion}.tgz`);
    expect(files).toEqual(
      expect.arrayContaining(['package/package.json', 'package/dist/muster.js', 'package/README.md']),
    );
    expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([]);
  });
});
