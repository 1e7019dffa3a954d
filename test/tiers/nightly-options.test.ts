import { describe, expect, it } from 'vitest';
import { nightlyParts, readNightlyOptions } from './nightly-options.ts';

describe('the options of the nightly run', () => {
  it('default to all parts, and named parts run in a fixed order', () => {
    expect(readNightlyOptions([]).parts).toEqual(nightlyParts);
    expect(readNightlyOptions(['--parts', 'mutations,soak', '--soak-minutes', '0.5'])).toMatchObject({
      parts: ['soak', 'mutations'],
      soakMinutes: 0.5,
    });
  });

  it('select the whole part unless a shard or files are named', () => {
    expect(readNightlyOptions(['--parts', 'faults'])).toMatchObject({ shard: { index: 1, of: 1 } });
    expect(readNightlyOptions(['--parts', 'faults', '--shard', '2/8']).shard).toEqual({ index: 2, of: 8 });
    expect(readNightlyOptions(['--parts', 'faults', '--files', 'brokers,topics']).files).toEqual(['brokers', 'topics']);
  });

  it.each([
    [['--parts', 'soak,walks'], 'no such part: "walks"; there are audit, seeds, '],
    [['--parts', ''], 'no such part: ""'],
    [['--parts', 'faults', '--shard', '9/8'], '--shard 9/8: has to be one of several'],
    [['--parts', 'faults', '--shard', 'two'], '--shard two: has'],
    [['--parts', 'soak,faults', '--shard', '1/8'], '--shard 1/8: only for --parts mutants,mutations,faults'],
    [['--parts', 'mutations', '--files', 'brokers'], '--files brokers: only for --parts faults'],
    [['--mutants', '0'], '--mutants 0: has'],
    [['--at-once', '1.5'], '--at-once 1.5: has'],
    [['--seeds=-1'], '--seeds -1: has'],
    [['--fuzz-runs', ''], '--fuzz-runs : has'],
    [['--chain-rounds', '0x5'], '--chain-rounds 0x5: has'],
    [['--soak-minutes', '0'], '--soak-minutes 0: has to be a number above 0'],
    [['--hours', 'Infinity'], '--hours Infinity: has'],
  ])('are rejected if a part would do nothing and pass: %j', (args, message) => {
    expect(() => readNightlyOptions(args)).toThrow(message);
  });
});
