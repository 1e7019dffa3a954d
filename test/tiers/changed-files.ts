import { execFileSync } from 'node:child_process';

export interface ChangedFiles {
  /** Undefined if the last landed state is unknown. */
  files: ReadonlySet<string> | undefined;
  /** A sentence for the log: compared with which commit, or why with none. */
  since: string;
}

export type Git = (...args: string[]) => string;

export function gitIn(root: string): Git {
  return (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** A session of work is shorter than the pause before it, so this reaches behind the commits of one session. */
const landedSeconds = 4 * 3600;

/**
 * Returns the files that differ from the last landed state: `base` if given, otherwise where the branch left
 * `origin/main`, otherwise the newest ancestor that is four hours older than the head.
 */
export function findChangedFiles(git: Git, base?: string): ChangedFiles {
  const unknown = (why: string): ChangedFiles => ({ files: undefined, since: `no change is known: ${why}` });
  const attempt = (...args: string[]) => {
    try {
      return git(...args);
    } catch {
      return '';
    }
  };
  const head = attempt('rev-parse', 'HEAD');
  if (head === '') return unknown('there is no git repository');
  const isShallow = attempt('rev-parse', '--is-shallow-repository') === 'true';
  if (isShallow && base === undefined) return unknown('the clone is shallow (MUSTER_BASE can name a commit)');
  const left = attempt('merge-base', 'HEAD', 'origin/main');
  const before = Number(attempt('show', '-s', '--format=%ct', 'HEAD')) - landedSeconds;
  const found = base ?? (left !== '' && left !== head ? left : attempt('rev-list', '-1', `--before=${before}`, 'HEAD'));
  const commit = found === '' ? '' : attempt('rev-parse', '--verify', '--quiet', `${found}^{commit}`);
  if (commit === '') return unknown(base === undefined ? 'no commit is old enough' : `${base} is no commit here`);
  const files = attempt('diff', '--name-only', '--no-renames', commit).split('\n');
  return { files: new Set(files.filter((file) => file !== '')), since: `changed since ${commit.slice(0, 8)}` };
}
