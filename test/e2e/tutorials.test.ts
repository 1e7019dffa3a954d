import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runScript, shellBlocks, startUp, type StartedUp } from './tried-pages.ts';

/** As a newcomer would: `muster up`, and each line of a page behind the other. */
describe('the tutorials', () => {
  let up: StartedUp;

  beforeAll(async () => {
    up = await startUp(20_000, inject('kafkaBrokers'));
  });
  afterAll(() => up.stop());

  /** Without how Muster is started and what `muster up` printed. */
  const scriptOf = (name: string) =>
    shellBlocks(`docs/tutorials/${name}.md`)
      .filter((block) => !/^npm ci|^export MUSTER_API_URL/.test(block))
      .join('\n');

  it.each([
    [
      'first-campaign',
      ['Free ride', 'a dry run: nobody was called', 'completed with failures', 'balances', 'out-of-stock'],
    ],
    ['own-endpoint', ['keeps the contract of class A', 'give-stars revision 1', 'balances']],
    ['callbacks', ['connection refused', 'reminded of \\{"order":17\\}', 'called · POST']],
  ])('work line by line: %s', async (name, said) => {
    const { code, out } = await runScript(scriptOf(name), up.environment);
    expect({ code, out: code === 0 ? '' : out }).toEqual({ code: 0, out: '' });
    for (const word of said) expect(out).toMatch(new RegExp(word));
  });
});
