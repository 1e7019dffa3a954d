import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { baseImages, type BaseImage } from './base-images.ts';
import { findVersions, type FoundVersion } from './version-places.ts';

export interface Checkout {
  /** Full commit hash. */
  commit: string;
  /** Lines of `git status`: differences from the commit. */
  changes: readonly string[];
  tags: readonly string[];
  versions: readonly FoundVersion[];
  changelog: string;
  /** Tag of the previous version, or `none`, from `migrations/released-version`. */
  releasedBefore: string;
  /** Oldest version that is compatible with this version's schema, from `migrations/oldest-version`. */
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
    versions: findVersions(root),
    changelog: text('docs/CHANGELOG.md'),
    releasedBefore: text('migrations/released-version').trim(),
    oldest: text('migrations/oldest-version').trim(),
    images: baseImages(root),
  };
}

/** Returns the version in package.json, which all other files must match. */
export function versionOf({ versions }: Pick<Checkout, 'versions'>): string {
  const version = versions.find(({ file }) => file === 'package.json')?.version;
  if (version === undefined) throw new Error('package.json says no version');
  return version;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
