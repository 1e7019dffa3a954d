import { describe, expect, it } from 'vitest';
import { copiedRows } from './copied-rows.ts';

async function rowsOf(parts: readonly Buffer[]): Promise<[string | null, string | null][]> {
  const rows: [string | null, string | null][] = [];
  async function* chunks() {
    yield* parts;
    await Promise.resolve();
  }
  for await (const part of copiedRows(chunks()))
    rows.push(...part.map((row) => [row.userId, row.country] as [string | null, string | null]));
  return rows;
}

describe('rows in the text format of COPY', () => {
  it('are the same wherever their chunks are split', async () => {
    const whole = Buffer.from('u1\tSG\n🎟️ é\tVN\n\\N\tID\nlast\t\\N\n');
    const expected = [
      ['u1', 'SG'],
      ['🎟️ é', 'VN'],
      [null, 'ID'],
      ['last', null],
    ];
    for (let at = 0; at <= whole.length; at++) {
      expect(await rowsOf([whole.subarray(0, at), whole.subarray(at)])).toEqual(expected);
    }
  });

  it('are decoded from their escape sequences', async () => {
    const text = String.raw`a\\b\tc\nd\\N` + '\tSG\n';
    expect(await rowsOf([Buffer.from(text)])).toEqual([['a\\b\tc\nd\\N', 'SG']]);
  });
});
