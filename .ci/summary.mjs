/** Prints `N passed, N failed` from vitest's closing line, and fails unless every tier ran. */
import { readFileSync } from 'node:fs';

const [logFile, status] = process.argv.slice(2);
const log = readFileSync(logFile, 'utf8').replace(/\u001b\[[0-9;]*m/g, '');

const closing = log.match(/^\s*Tests\s+(.*)$/m)?.[1] ?? '';
const count = (word) => Number(closing.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0);
const tiers = ['unit', 'simulation', 'integration', 'e2e', 'faults-in-short'];
const missing = tiers.filter((tier) => !new RegExp(`\\b${tier}\\b.*\\.test\\.ts`).test(log));

const passed = count('passed');
let failed = count('failed');
const skipped = count('skipped');

if (missing.length > 0) console.log(`no test ran in: ${missing.join(', ')}`);
if (skipped > 0) console.log(`${skipped} tests were skipped; none may be`);
if (passed === 0 || missing.length > 0 || skipped > 0 || (status !== '0' && failed === 0)) failed += 1;

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
