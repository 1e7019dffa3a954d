import { root } from './commands.ts';
import { recordMinutes } from './expected-minutes.ts';
import { readResults } from './results.ts';

/**
 * `npm run test:minutes -- <results>...` takes the durations of test files from results of earlier runs
 * (`MUSTER_TEST_RESULTS`) into `expected-minutes.json`, by which the rotation and the shards of the nightly run share
 * out the work.
 */
const files = process.argv.slice(2);
if (files.length === 0) throw new Error('name at least one file of results');
recordMinutes(root, files.flatMap(readResults));
