import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runScript, shellBlocks, startUp, type StartedUp } from './tried-pages.ts';

/** Returns the commands of a tutorial, except for the start of Muster and the variables that `muster up` prints. */
function scriptOf(name: string): string {
  return shellBlocks(`docs/tutorials/${name}.md`)
    .filter((block) => !/^npm ci|^export MUSTER_API_URL/.test(block))
    .join('\n');
}

/** Runs the pages like a newcomer: `muster up`, and each line of a page after the other. */
describe('the tutorials', () => {
  let up: StartedUp;

  beforeAll(async () => {
    up = await startUp(20_000, inject('kafkaBrokers'));
  });
  afterAll(() => up.stop());

  it.each([
    [
      'first-campaign',
      ['Free ride', 'a dry run: nobody was called', 'completed with failures', 'balances', 'out-of-stock'],
    ],
    ['own-endpoint', ['keeps the contract of class A', 'give-stars revision 1', 'balances']],
    ['callbacks', ['connection refused', 'reminded of \\{"order":17\\}', 'called · POST']],
  ])('work line by line: %s', async (name, reported) => {
    const { code, out } = await runScript(scriptOf(name), up.environment);
    expect({ code, out: code === 0 ? '' : out }).toEqual({ code: 0, out: '' });
    for (const word of reported) expect(out).toMatch(new RegExp(word));
  });
});

describe('the tutorial about a database', () => {
  let up: StartedUp;

  beforeAll(async () => {
    up = await startUp(1000, inject('kafkaBrokers'), '--segmentation', 'http://127.0.0.1:7080');
  });
  afterAll(() => up.stop());

  it('works line by line, and its report balances with the shop and the inbox', async () => {
    const { code, out } = await runScript(scriptOf('own-database'), up.environment);
    expect({ code, out: code === 0 ? '' : out }).toEqual({ code: 0, out: '' });
    for (const word of ['send-offer revision 1', 'balances', 'account-closed', 'Linh, we miss you'])
      expect(out).toContain(word);
    // 109 of the 200 last orders are older than 90 days, and two of these accounts are closed.
    expect(out).toMatch(/all +545 +535 +10/);
    expect(out).toMatch(/'535' +│ '535' +│ '26750'/);
    expect(out).toContain('"total":535');
  });
});
