import path from 'node:path';
import { parseArgs } from 'node:util';
import { bump, pin, RefusedError, release } from './commands.ts';
import { commandText, StepFailedError } from './run-steps.ts';

const usage = `npm run release -- <command>

  build                what a release consists of, into .cache/release/<version>
  build --publish --registry ghcr.io/acme
                       and from there to the registries, the git tag last
  bump <version>       the version into every file that says it, and its section of the changelog
  pin                  the digests of base images, looked up and written behind their names

  --dry-run            with build: say each command, run none

More: docs/releasing.md`;

const root = path.join(import.meta.dirname, '../..');
const terms = { root, environment: process.env, report: (line: string) => void process.stdout.write(`${line}\n`) };

const options = {
  publish: { type: 'boolean', default: false },
  registry: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
} as const;

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [command, version, ...others] = positionals;
  if (others.length > 0) throw new RefusedError([`${others.join(' ')}: one version at a time`]);
  if (command === 'build' && version === undefined) {
    const { publish, registry, 'dry-run': isDryRun } = values;
    if (publish && registry === undefined) throw new RefusedError(['--publish: where to? --registry ghcr.io/acme']);
    if (registry?.endsWith('/') === true || registry?.includes('://') === true)
      throw new RefusedError([`--registry ${registry}: a host and a path, such as ghcr.io/acme`]);
    await release(terms, { registry: publish ? registry : undefined, isDryRun });
  } else if (command === 'bump' && version !== undefined) {
    bump(terms, version, new Date().toISOString().slice(0, 10));
  } else if (command === 'pin' && version === undefined) {
    pin(terms);
  } else {
    throw new RefusedError([usage]);
  }
}

try {
  await run();
} catch (error) {
  process.exitCode = 1;
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  if (error instanceof StepFailedError) {
    say(error.message);
    say(`not done:\n${error.left.map((step) => commandText(step)).join('\n')}`);
  } else {
    say(error instanceof Error ? error.message : String(error));
  }
}
