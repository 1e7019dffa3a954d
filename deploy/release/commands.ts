import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { baseImages, pinImages } from './base-images.ts';
import { closeUnreleased } from './changelog.ts';
import { readCheckout, versionOf } from './checkout.ts';
import { buildPlan, publishPlan } from './plan.ts';
import { bumpProblems, releaseProblems, tagBefore } from './problems.ts';
import { runSteps, shown, type RunTerms } from './run-steps.ts';
import { commandOf, toolProblems } from './tools.ts';
import { writeVersion } from './version-places.ts';

/** Why a command does nothing: every cause at once, a line each. */
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
  /** `ghcr.io/acme`: published there, and nowhere unless given. */
  registry: string | undefined;
  /** Says each command, and runs none. */
  isDryRun: boolean;
}

/**
 * Builds what a release consists of, and with a registry publishes it.
 * @throws {RefusedError} before anything is built
 * @throws {StepFailedError}
 */
export async function release(terms: RunTerms, { registry, isDryRun }: ReleaseOptions): Promise<void> {
  const { root, environment, report } = terms;
  const checkout = readCheckout(root);
  const problems = [...releaseProblems(checkout), ...toolProblems(environment, ['git', 'npm', 'docker', 'helm'])];
  const version = versionOf(checkout);
  const out = path.join(root, '.cache/release', version);
  const plan = { version, commit: checkout.commit, out, helm: commandOf('helm', environment) };
  const steps = [...buildPlan(plan), ...(registry === undefined ? [] : publishPlan(plan, registry))];
  if (isDryRun) {
    for (const step of steps) report(`${step.name}: ${shown(step)}`);
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
 * Writes the version into every file that says it, and the changelog's section of it.
 * @param day as 2026-11-24
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
 * Looks up the digests of the images of others, and writes them behind their names.
 * @throws {RefusedError}
 */
export function pin({ root, environment, report }: RunTerms): void {
  refuse(toolProblems(environment, ['docker']));
  const names = [...new Set(baseImages(root).map(({ name }) => name))];
  const digests = new Map(names.map((name) => [name, lookUp(name, environment)]));
  pinImages(root, digests);
  for (const [name, digest] of digests) report(`${name}@${digest}`);
}

/** Of the list that names an image for each platform. */
function lookUp(name: string, env: NodeJS.ProcessEnv): string {
  const args = ['buildx', 'imagetools', 'inspect', name, '--format', '{{.Manifest.Digest}}'];
  return execFileSync('docker', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}
