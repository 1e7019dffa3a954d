/** Prints `N passed, N failed` from the results of all commands, and fails unless every tier ran. */
import { readFileSync } from 'node:fs';

const [resultsFile, status] = process.argv.slice(2);
const results = readFileSync(resultsFile, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

/** `npm test` runs all of these. Faults run in turns afterwards, and on a slow machine there may be no time for any. */
const tiers = ['check', 'unit', 'console', 'simulation', 'integration', 'e2e', 'browser'];
const tests = results.filter(({ kind }) => kind === 'test');
const files = results.filter(({ kind }) => kind === 'file');
const ran = (tier) => (tier === 'check' ? files : tests).some((result) => result.tier === tier);
const missing = tiers.filter((tier) => !ran(tier));
const inState = (state) => tests.filter((test) => test.state === state).length;

const passed = inState('passed') + files.filter(({ tier, failed }) => tier === 'check' && !failed).length;
let failed = inState('failed') + files.filter((file) => file.failed).length;
const skipped = inState('skipped');
const notReached = results.filter(({ kind }) => kind === 'not-reached').map(({ file }) => file);

const describeFailure = ({ tier, file, name, why }) => [
  `failed: ${tier} ${file}${name ? ` > ${name}` : ''}`,
  ...(why ? why.split('\n').map((line) => `    ${line}`) : []),
];
const failures = [...tests.filter(({ state }) => state === 'failed'), ...files.filter((file) => file.failed)];
for (const failure of failures) console.log(describeFailure(failure).join('\n'));
if (notReached.length > 0) console.log(`not reached today: ${notReached.join(', ')}`);
if (!ran('faults')) console.log('no time was left for any fault on real processes');
if (missing.length > 0) console.log(`no test ran in: ${missing.join(', ')}`);
if (skipped > 0) console.log(`${skipped} tests were skipped; none may be`);
if (passed === 0 || missing.length > 0 || skipped > 0 || (status !== '0' && failed === 0)) failed += 1;

// Once more, a line each: where only the last lines of a log are shown, they name what failed.
for (const { file, name, why = '' } of failures)
  console.log(`failed: ${[file, name].filter(Boolean).join(' > ')}: ${why.split('\n')[0].slice(0, 600)}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
