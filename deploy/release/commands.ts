import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { baseImages, pinImages } from './base-images.ts';
import { closeUnreleased } from './changelog.ts';
import { readCheckout, versionOf } from './checkout.ts';
import { buildPlan, publishPlan } from './plan.ts';
import { bumpProblems, releaseProblems, tagBefore } from './problems.ts';
import { commandText, runSteps, type RunTerms } from './run-steps.ts';
import { commandOf, toolProblems } from './tools.ts';
import { writeVersion } from './version-places.ts';

/** A refused command, with all reasons, one per line. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new RefusedError(problems);
}

export interface ReleaseOptions {
  /** Registry to publish to, such as `ghcr.io/acme`; undefined does not publish. */
  registry: string | undefined;
  isDryRun: boolean;
}

/**
 * Builds a release, and publishes it if there is a registry.
 * @throws {RefusedError} before anything is built
 * @throws {StepFailedError}
 */
export async function release(terms: RunTerms, { registry, isDryRun }: ReleaseOptions): Promise<void> {
  const { root, environment, report } = terms;
  const checkout = readCheckout(root);
  const problems = [
    ...releaseProblems(checkout),
    ...toolProblems(environment, ['git', 'npm', 'docker', 'helm', 'python3', 'mvn']),
  ];
  const version = versionOf(checkout);
  const out = path.join(root, '.cache/release', version);
  const plan = { version, commit: checkout.commit, out, helm: commandOf('helm', environment) };
  const steps = [...buildPlan(plan), ...(registry === undefined ? [] : publishPlan(plan, registry))];
  if (isDryRun) {
    for (const step of steps) report(`${step.name}: ${commandText(step)}`);
    refuse(problems);
    return;
  }
  refuse(problems);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await runSteps(steps, terms);
  report(`${version} is ${registry === undefined ? 'built' : 'published'}: ${out}`);
}

/**
 * Writes the version into all files that contain it, and its section into the changelog.
 * @param day date such as 2026-11-24
 * @throws {RefusedError}
 */
export function bump({ root, report }: Pick<RunTerms, 'root' | 'report'>, version: string, day: string): void {
  const checkout = readCheckout(root);
  refuse(bumpProblems(checkout, version));
  const changelog = closeUnreleased(checkout.changelog, version, day);
  writeVersion(root, version);
  writeFileSync(path.join(root, 'docs/CHANGELOG.md'), changelog);
  writeFileSync(path.join(root, 'migrations/released-version'), `${tagBefore(checkout.tags, version) ?? 'none'}\n`);
  report(`the checkout says ${version}: look at git diff, commit it, and run the tests before npm run release`);
}

/**
 * Looks up digests of third-party images, and writes them after the image names.
 * @throws {RefusedError}
 */
export function pin({ root, environment, report }: RunTerms): void {
  refuse(toolProblems(environment, ['docker']));
  const names = [...new Set(baseImages(root).map(({ name }) => name))];
  const digests = new Map(names.map((name) => [name, lookUp(name, environment)]));
  pinImages(root, digests);
  for (const [name, digest] of digests) report(`${name}@${digest}`);
}

/** Returns the digest of the multi-platform manifest list. */
function lookUp(name: string, env: NodeJS.ProcessEnv): string {
  const args = ['buildx', 'imagetools', 'inspect', name, '--format', '{{.Manifest.Digest}}'];
  return execFileSync('docker', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}
