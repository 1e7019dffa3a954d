import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeClient } from './write-client.ts';

/** Builds the content of the npm package: JavaScript and types, with a client generated from the current API. */
const here = import.meta.dirname;
const compiler = join(here, '../node_modules/typescript/bin/tsc');

const compile = async () => {
  await rm(join(here, 'dist'), { recursive: true, force: true });
  await promisify(execFile)(process.execPath, [compiler, '-p', join(here, 'tsconfig.build.json')]);
};

// Compiles while the client is generated, because each step takes seconds of one core. Compiles again if the client has
// changed, or if the compilation has failed.
const [isCompiled, isChanged] = await Promise.all([
  compile().then(
    () => true,
    () => false,
  ),
  writeClient(),
]);
if (!isCompiled || isChanged) await compile();
