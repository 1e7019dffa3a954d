import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { baseImages, type BaseImage } from './base-images.ts';
import { saidVersions, type SaidVersion } from './version-places.ts';

/** What is to be released, as it lies there. */
export interface Checkout {
  /** The commit, in full. */
  commit: string;
  /** Lines of `git status`: what differs from the commit. */
  changes: readonly string[];
  tags: readonly string[];
  said: readonly SaidVersion[];
  changelog: string;
  /** The tag of the version before, or `none`: `migrations/released-version`. */
  releasedBefore: string;
  /** The oldest version that may work on this one's schema: `migrations/oldest-version`. */
  oldest: string;
  images: readonly BaseImage[];
}

export function readCheckout(root: string): Checkout {
  const git = (...args: string[]) => linesOf(execFileSync('git', args, { cwd: root, encoding: 'utf8' }));
  const text = (file: string) => readFileSync(path.join(root, file), 'utf8');
  return {
    commit: git('rev-parse', 'HEAD')[0] ?? '',
    changes: git('status', '--porcelain'),
    tags: git('tag', '--list'),
    said: saidVersions(root),
    changelog: text('docs/CHANGELOG.md'),
    releasedBefore: text('migrations/released-version').trim(),
    oldest: text('migrations/oldest-version').trim(),
    images: baseImages(root),
  };
}

/** As package.json says, which the others have to agree with. */
export function versionOf({ said }: Pick<Checkout, 'said'>): string {
  const version = said.find(({ file }) => file === 'package.json')?.version;
  if (version === undefined) throw new Error('package.json says no version');
  return version;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
