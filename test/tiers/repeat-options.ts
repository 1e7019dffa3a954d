import { parseArgs } from 'node:util';

export interface RepeatOptions {
  file: string;
  times: number;
  /** Busy processes beside the test. */
  load: number;
}

/** @throws if there is not exactly one file, or a number is out of its range */
export function readRepeatOptions(args: readonly string[]): RepeatOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { times: { type: 'string', default: '20' }, load: { type: 'string', default: '0' } },
  });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0)
    throw new Error('name one test file: npm run test:repeat -- test/faults/poison.test.ts --times 5 --load 4');
  return { file, times: whole('times', values.times, 1), load: whole('load', values.load, 0) };
}

function whole(name: string, text: string, least: number): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < least)
    throw new Error(`--${name} ${text}: has to be a whole number from ${least}`);
  return Number(text);
}
