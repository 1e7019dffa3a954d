import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ownRoot } from './installation.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Source {
  root: string;
  /** The commit's short id and subject. */
  description: string;
  remove: () => void;
}

/**
 * The source of another commit in a temporary folder, ready to run. Taken out of git as an archive: a work tree would
 * be left in git's books when this process is killed. Libraries are this tree's own where both lock files agree, else
 * installed from npm's cache as far as it has them.
 * @throws when git does not know the commit
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
  // No install scripts: databases and brokers are started by this tree.
  execFileSync('npm', ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ownRoot, encoding: 'utf8' });
}
