import { describe, expect, it } from 'vitest';
import { nightlyParts, readNightlyOptions } from './nightly-options.ts';

describe('what the nightly run is asked for', () => {
  it('is all parts unless some are named, in an order of their own', () => {
    expect(readNightlyOptions([]).parts).toEqual(nightlyParts);
    expect(readNightlyOptions(['--parts', 'mutations,soak', '--soak-minutes', '0.5'])).toMatchObject({
      parts: ['soak', 'mutations'],
      soakMinutes: 0.5,
    });
  });

  it.each([
    [['--parts', 'soak,walks'], 'no such part: "walks"; there are audit, seeds, '],
    [['--parts', ''], 'no such part: ""'],
    [['--shards', '0'], '--shards 0: has to be a whole number from 1'],
    [['--shards', 'four'], '--shards four: has'],
    [['--at-once', '1.5'], '--at-once 1.5: has'],
    [['--seeds=-1'], '--seeds -1: has'],
    [['--fuzz-runs', ''], '--fuzz-runs : has'],
    [['--chain-rounds', '0x5'], '--chain-rounds 0x5: has'],
    [['--soak-minutes', '0'], '--soak-minutes 0: has to be a number above 0'],
    [['--hours', 'Infinity'], '--hours Infinity: has'],
  ])('is refused where a part would do nothing and pass: %j', (args, message) => {
    expect(() => readNightlyOptions(args)).toThrow(message);
  });
});
