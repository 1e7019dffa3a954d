import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeClient } from './write-client.ts';

/** What `npm pack` puts into the package: JavaScript and its types, with the client of the API as it is here. */
const here = import.meta.dirname;
const compiler = join(here, '../node_modules/typescript/bin/tsc');

const compile = async () => {
  await rm(join(here, 'dist'), { recursive: true, force: true });
  await promisify(execFile)(process.execPath, [compiler, '-p', join(here, 'tsconfig.build.json')]);
};

// Both take seconds of one core, and the client that is there is mostly the right one.
const [isCompiled, isChanged] = await Promise.all([
  compile().then(
    () => true,
    () => false,
  ),
  writeClient(),
]);
if (!isCompiled || isChanged) await compile();
