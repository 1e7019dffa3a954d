import { globSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { root } from '../tiers/commands.ts';
import { runScript, shellBlocks, startUp, type StartedUp } from './tried-pages.ts';

/** Pages that are tested, each with texts that its commands must print. */
const tried: Readonly<Record<string, readonly string[]>> = {
  'write-a-campaign': ['Lapsed riders, December', 'completed'],
  'choose-an-audience': ['completed'],
  'try-a-campaign': ['To be tried'],
  'compare-variants': ['A 50 %', 'B − A', 'balances'],
  'follow-a-run': ['balances', 'sg-000000003'],
  'retry-failed-users': [
    'out-of-stock',
    'users: muster campaign watch run_',
    'completed with failures|completed_with_failures',
  ],
  'pause-and-pace': ['pausing|paused', 'the endpoint takes more', 'it was right', 'completed'],
  approve: ['needs 1 approver \\(more than 500 users\\)', 'refused, as it has to be', 'apr_', 'completed', 'no rules'],
  'keep-a-budget': ['paused', 'budget: the 300 units of SG are used up', 'balances'],
  'suppress-and-quiet-hours': [
    'asked to by phone',
    'suppressed',
    'suppression-list',
    '21:00',
    'no quiet hours',
    'muster.cap · weekly: 1 of at most 1 within 7 days',
    'earlier: Capped, first',
    'no caps',
  ],
  'settle-unknown-outcomes': ['sg-000000003', 'no-account', 'balances'],
  'recurring-campaign': ['for 2027-01-25T09:00:00', 'sch_', 'run_', 'balances|completed'],
  'report-without-a-key': ['"reasons"|"lines"|"steps"', 'rpl_', 'shows nothing any more', 'award-points,SG,,800'],
  'batch-endpoint': ['keeps the contract of class C', 'give-coupon'],
  'one-at-a-time': ['0 accepted, 5 known', '^(?![^]*once [2-9])([^]*payout of 17 open at once 1\\n){5}', 'it balances'],
  'replay-quarantined-jobs': ['500', '1 job replayed', 'called'],
  'add-partitions-and-workers': ['8 partitions'],
  'rotate-secrets-and-keys': ['the secret before is good until', 'has a new authorization secret'],
  'move-a-market': ['europe', 'local', 'SG is deleted'],
};

/** Pages, and blocks by their first words, that this file does not run, each with the reason. */
const notRun: Readonly<Record<string, string>> = {
  README: 'it says what these pages stand on; this file does it',
  'notifications-in-slack': 'needs a channel of Slack; test/e2e/notifications.test.ts posts to one of its own',
  'restore-a-backup': 'stops the installation; test/faults/restored.test.ts does all of it',
  'docker compose up': 'the workers here are no containers',
  'helm upgrade': 'needs a cluster',
  'muster serve worker': 'runs until it is stopped; test/e2e/campaign.test.ts runs several',
  'openssl rand': 'restarts every process; shared/runtime/configuration/secret-box.test.ts does it with both keys',
  'WORKER_COUNTRIES=SG': 'runs until it is stopped, beside another',
};

/** Equals `npm run -s muster --` in a checkout, without the third of a second that npm needs for each start. */
const withMuster = `muster() { ${process.execPath} ${path.join(root, 'cli/muster.ts')} "$@"; }`;

describe('the how-to pages', () => {
  let up: StartedUp;

  beforeAll(async () => {
    up = await startUp(2000, inject('kafkaBrokers'));
  });
  afterAll(() => up.stop());

  it('are all tested by this file, or listed with a reason', () => {
    const pages = globSync('docs/how-to/*.md', { cwd: root }).map((file) => path.basename(file, '.md'));
    const known = [...Object.keys(tried), ...Object.keys(notRun).filter((name) => pages.includes(name))];
    expect(pages.toSorted()).toEqual(known.toSorted());
  });

  it('contain every block that is listed as not tested', () => {
    const blocks = Object.keys(tried).flatMap((name) => shellBlocks(`docs/how-to/${name}.md`));
    const unused = Object.keys(notRun)
      .filter((beginning) => beginning.includes(' ') || beginning.includes('='))
      .filter((beginning) => !blocks.some((block) => block.startsWith(beginning)));
    expect(unused).toEqual([]);
  });

  it.each(Object.entries(tried))('work line by line: %s', async (name, reported) => {
    const blocks = shellBlocks(`docs/how-to/${name}.md`).filter(
      (block) => !Object.keys(notRun).some((beginning) => block.startsWith(beginning)),
    );
    const { code, out } = await runScript([withMuster, ...blocks].join('\n'), up.environment);
    expect({ code, out: code === 0 ? '' : out }).toEqual({ code: 0, out: '' });
    for (const words of reported) expect(out).toMatch(new RegExp(words));
  });
});
