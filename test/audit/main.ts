import { parseArgs } from 'node:util';
import { run } from '../tiers/commands.ts';
import { judgeAudit } from './judge-audit.ts';

/**
 * `npm run audit`: asks the registry what is known of the packages that an installation runs with, those of the lock
 * file. Ends with 1 where something of it is high or critical, or where the registry should have answered and did not:
 * with `--if-answered` that is only said, since a change is not worse for it.
 */
const { values } = parseArgs({ options: { 'if-answered': { type: 'boolean', default: false } } });
const withinMs = 120_000;

let written = '';
// Its own exit code is 1 for a low one, too.
await run('npm', ['audit', '--omit=dev', '--json', '--loglevel=silent'], {
  onOutput: (text) => (written += text),
  withinMs,
});
const { passed, isUnanswered, words } = judgeAudit(written);
process.stdout.write(`${words}\n`);
process.exitCode = passed || (values['if-answered'] && isUnanswered) ? 0 : 1;
