import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ownRoot } from './installation.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Source {
  root: string;
  /** Short id and subject of the commit. */
  description: string;
  remove: () => void;
}

/**
 * Provides the source of another commit in a temporary folder, ready to run. It is a Git archive: a work tree would
 * stay registered in the repository if this process were killed. If both lock files are equal, the libraries are those
 * of this tree. Otherwise npm installs them, from its cache if possible.
 * @throws if Git does not know the commit
 */
export function sourceOf(ref: string): Source {
  const description = git('log', '-1', '--format=%h %s', ref).trim();
  const { path: root, remove } = temporaryFolder('muster-source');
  try {
    const archive = join(root, 'source.tar');
    git('archive', '--format=tar', `--output=${archive}`, ref);
    execFileSync('tar', ['-xf', archive, '-C', root]);
    rmSync(archive);
    provideLibraries(root);
    return { root, description, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function provideLibraries(root: string): void {
  const lockOf = (tree: string) => readFileSync(join(tree, 'package-lock.json'), 'utf8');
  if (lockOf(root) === lockOf(ownRoot)) {
    symlinkSync(join(ownRoot, 'node_modules'), join(root, 'node_modules'));
    return;
  }
  // Install scripts are not needed, because databases and brokers are started by this tree.
  execFileSync('npm', ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ownRoot, encoding: 'utf8' });
}
