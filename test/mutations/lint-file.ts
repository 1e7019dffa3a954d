import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export const lintConfiguration = '.oxlintrc.json';

/**
 * Returns true if types or lint rules refuse a file.
 *
 * @param tree folder with the lint configuration and `node_modules`
 * @throws if the linter does not run
 */
export async function isRefusedByLint(tree: string, file: string): Promise<boolean> {
  const linter = path.join(tree, 'node_modules/.bin/oxlint');
  const started = spawn(linter, ['--config', lintConfiguration, file], { cwd: tree, stdio: 'ignore' });
  await once(started, 'exit');
  const code = started.exitCode;
  if (code === 0 || code === 1) return code === 1;
  throw new Error(`the linter ended with ${String(code)} for ${file}`);
}
