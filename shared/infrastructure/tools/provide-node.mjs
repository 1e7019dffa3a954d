/**
 * First half of `prepare`: if the machine's Node is older than `engines` requires, `npm run` and `npx` get a newer one
 * as `node_modules/.bin/node`. An installation without development dependencies runs on the present Node.
 */
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installTool } from './install-tool.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '../../..');
const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const [, major, minor] = engines.node.match(/^>=(\d+)\.(\d+)$/);

const hasTools = existsSync(path.join(root, 'node_modules/vite'));
if (hasTools && !isNewEnough(process.versions.node)) {
  try {
    await provide();
  } catch (error) {
    console.error(`Node ${process.versions.node} is too old (${engines.node}), and ${error.message}`);
    process.exitCode = 1;
  }
}

function isNewEnough(version) {
  const [ownMajor, ownMinor] = version.split('.').map(Number);
  return ownMajor > Number(major) || (ownMajor === Number(major) && ownMinor >= Number(minor));
}

async function provide() {
  if (process.platform === 'win32')
    throw new Error('on Windows it is not replaced: install a newer one, or work in WSL');
  const found = await installTool(path.join(here, 'node'), {
    cache: process.env.MUSTER_CACHE ?? (await usualCache()),
    environment: process.env,
    report: (line) => console.error(line),
    keep: ['bin', 'LICENSE', 'package.json'],
  });
  const command = path.join(root, 'node_modules/.bin/node');
  await rm(command, { force: true });
  await writeFile(command, script(path.resolve(found, 'bin/node')), { mode: 0o755 });
}

async function usualCache() {
  const { default: envPaths } = await import('env-paths');
  return envPaths('muster', { suffix: '' }).cache;
}

/** Returns a script instead of a link: it reports an emptied cache, while a broken link would lead to the old Node. */
function script(node) {
  const quoted = `'${node.replaceAll("'", String.raw`'\''`)}'`;
  return `#!/bin/sh
if [ ! -x ${quoted} ]; then
  echo ${quoted} 'is gone, which npm ci had put there: npm ci brings it back' >&2
  exit 1
fi
exec ${quoted} "$@"
`;
}
