/**
 * Creates the command `muster` of this checkout after `prepare`, beside those of its packages. It runs on the Node
 * beside it, if `npm ci` had to fetch one. npm links the commands of packages, but not those of the checkout itself.
 */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const commands = process.argv[2] ?? path.join(here, '../../../node_modules/.bin');

if (process.platform !== 'win32' && existsSync(commands)) {
  const command = path.join(commands, 'muster');
  await rm(command, { force: true });
  await writeFile(command, script(), { mode: 0o755 });
}

function script() {
  return `#!/bin/sh
here=$(dirname -- "$0")
PATH="$here:$PATH" exec node "$here/../../cli/muster.ts" "$@"
`;
}
