import path from 'node:path';
import { tagOf } from './problems.ts';

export interface Step {
  name: string;
  command: readonly [program: string, ...args: string[]];
  /** Working directory, relative to the root of the checkout, which is the default. */
  folder?: string;
}

export interface ReleaseTerms {
  version: string;
  commit: string;
  /** Absolute path of the folder for all build results. */
  out: string;
  helm: string;
}

const writeBill = 'deploy/release/write-bill.ts';
/** Builds into a separate folder, so that the build folder of the tests stays unchanged. */
const maven = ['mvn', '--batch-mode', '--quiet', '-Dmaven.test.skip=true', '-DbuildFolder=target/release'] as const;
const platforms = 'linux/amd64,linux/arm64';

export function buildPlan({ version, commit, out, helm }: ReleaseTerms): Step[] {
  const file = (name: string) => path.join(out, name);
  const archive = `type=oci,dest=${file(`muster-${version}-image.oci.tar`)}`;
  return [
    {
      name: 'list what the image carries of npm',
      command: ['node', writeBill, '.', 'application', file(`muster-${version}-image.cdx.json`)],
    },
    {
      name: 'list what the SDK carries',
      command: ['node', writeBill, 'sdk', 'library', file(`muster-sdk-${version}.cdx.json`)],
    },
    { name: 'pack the SDK', command: ['npm', 'pack', '--pack-destination', out], folder: 'sdk' },
    {
      name: 'build the wheel for Python',
      command: ['python3', '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', out, '.'],
      folder: 'sdk/python',
    },
    {
      name: 'build the jar for Java',
      command: [...maven, `-DjarFolder=${out}`, 'package'],
      folder: 'sdk/java',
    },
    { name: 'package the chart', command: [helm, 'package', 'deploy/helm/muster', '--destination', out] },
    { name: 'build the image', command: buildImage(commit, '--tag', `muster:${version}`, '--output', archive) },
    { name: 'write the checksums', command: ['node', 'deploy/release/write-checksums.ts', out] },
  ];
}

/** Returns the steps that publish a release. The tag comes last: a tagged release is complete. */
export function publishPlan({ version, commit, out, helm }: ReleaseTerms, registry: string): Step[] {
  const file = (name: string) => path.join(out, name);
  const image = `${registry}/muster:${version}`;
  // Without this tag, `npm install muster-sdk` would install a prerelease.
  const channel = version.includes('-') ? ['--tag', 'next'] : [];
  const pushed = ['--tag', image, '--push', '--metadata-file', file('pushed-image.json')];
  return [
    // Uses the cache of the previous build: the layers are the same.
    { name: 'push the image', command: buildImage(commit, ...pushed) },
    { name: 'push the chart', command: [helm, 'push', file(`muster-${version}.tgz`), `oci://${registry}/charts`] },
    {
      name: 'publish the SDK',
      command: ['npm', 'publish', file(`muster-sdk-${version}.tgz`), '--access', 'public', ...channel],
    },
    { name: 'make the tag', command: ['git', 'tag', '-a', tagOf(version), '-m', `Muster ${version}`, commit] },
    { name: 'push the tag', command: ['git', 'push', 'origin', tagOf(version)] },
  ];
}

/** Builds with provenance of each layer and a bill of materials of the system below Node, stored with the image. */
function buildImage(commit: string, ...args: string[]): Step['command'] {
  return [
    ...(['docker', 'buildx', 'build', '--platform', platforms, '--provenance=mode=max', '--sbom=true'] as const),
    ...['--file', 'deploy/Dockerfile', '--label', `org.opencontainers.image.revision=${commit}`, ...args, '.'],
  ];
}
