import { describe, expect, it } from 'vitest';
import { readingOf, readUsers, rejectsOf, usersOf } from '../../../test/support/read-users.ts';

const many = (line: (n: number) => string, count: number) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');
const sg = { all: 'SG' };

describe('the rows of a file', () => {
  it('lose blanks around their ids if the file has a header, and the number of changed ids is known', async () => {
    const file = 'userId\n u-1\nu-1 \nu-1\n\u00a0 u-1\nu-1\u200b\nu-1\t\n\ufeffu-2\n\u3000u-2\u2060\n"\tu-2 "\nu 2\n';
    const read = await readUsers(file, sg);
    expect(read).toMatchObject({ users: [...Array<string>(6).fill('u-1 SG'), 'u-2 SG', 'u-2 SG', 'u-2 SG', 'u 2 SG'] });
    expect(await readingOf(file, sg)).toMatchObject({ trimmed: 8 });
  });

  it('keep blanks around their ids if the file has no header, with a warning', async () => {
    expect(await usersOf('u-1\n u-1\n', sg)).toBe('u-1 SG,  u-1 SG');
    expect(await readingOf('u-1\n u-1\n', sg)).toMatchObject({ trimmed: 0, warnings: [{ code: 'padded-ids' }] });
  });

  it.each([
    ['userId', 'repeated-header'],
    ['"userId"', 'repeated-header'],
    [' userId ', 'repeated-header'],
    ['USERID', 'repeated-header'],
    ['user_id', 'repeated-header'],
    ['NULL', 'no-value'],
    ['null', 'no-value'],
    ['(null)', 'no-value'],
    ['#N/A', 'no-value'],
    ['N/A', 'no-value'],
    ['#REF!', 'no-value'],
    ['#VALUE!', 'no-value'],
    ['#NAME?', 'no-value'],
    ['NaN', 'no-value'],
    ['\\N', 'no-value'],
    ['undefined', 'no-value'],
    ['-', 'no-value'],
    ['""', 'empty'],
    ['   ', 'empty'],
    ['\u00a0', 'empty'],
    ['u\u0007x', 'control-character'],
    ['"u-3', 'malformed-row'],
    ['u"3"', 'malformed-row'],
    ['u-3,SG', 'too-many-columns'],
  ])('are rejected if they contain no valid user id: %j', async (row, rule) => {
    expect(await rejectsOf(`userId\nu-1\n${row}\nu-2\n`, sg)).toBe(`3 ${rule}`);
    if (rule !== 'malformed-row' && !row.includes(','))
      expect(await rejectsOf(`userId,plan\nu-1,x\n${row},x\nu-2,x\n`, sg)).toBe(`3 ${rule}`);
  });

  it.each([257, 65_536, 70_000, 200_000])('are rejected if their id has %i bytes', async (length) => {
    for (const chunkBytes of [5000, 1_000_000])
      expect(await rejectsOf(`userId\nu-1\n${'x'.repeat(length)}\nu-2\n`, { ...sg, chunkBytes })).toBe('3 too-long');
  });

  it.each([65_536, 65_537])(
    'are rejected if they have more than 64 KiB, whatever the chunks of the file: %i bytes',
    async (length) => {
      const row = `u-2,${'\u00e9'.repeat(1000)}`;
      const padded = row + 'x'.repeat(length - Buffer.byteLength(row));
      for (const chunkBytes of [5000, 65_550, 1_000_000]) {
        const rejects = await rejectsOf(`userId,note\nu-1,x\n${padded}\nu-3,x\n`, { ...sg, chunkBytes });
        expect(rejects).toBe(length > 65_536 ? '3 too-long' : '');
      }
    },
  );

  it('are rejected if they repeat a header with which the file does not begin', async () => {
    expect(await rejectsOf('u-1\nuserId\nu-2\ncustomer_id\n', sg)).toBe('2 repeated-header, 4 repeated-header');
  });

  it('may contain quoted fields of several lines', async () => {
    const note = many((n) => `line ${n}, with ""quotes""`, 50);
    const file = `userId,note,country\nu-1,"${note}",SG\nu-2,short,VN\nu-3,"two\r\nlines",SG\n`;
    for (const chunkBytes of [7, 1000, 1_000_000]) {
      expect(await usersOf(file, { chunkBytes })).toBe('u-1 SG, u-2 VN, u-3 SG');
    }
  });

  it('do not include the lines of a long quoted note as users', async () => {
    const file = `userId,note\nu-1,"${many((n) => `word${n}`, 10_000)}"\nu-2,x\n`;
    const read = await readUsers(file, { ...sg, acceptRejected: 20_000 });
    expect(read).toMatchObject({ users: ['u-2 SG'] });
  });

  it('are read after a quote that is never closed', async () => {
    expect(await rejectsOf('userId,country\n"u-1,SG\nu-2,SG\nu-3,VN\n')).toBe('2 malformed-row');
    expect(await usersOf('userId,country\n"u-1,SG\nu-2,SG\nu-3,VN\n', { acceptRejected: 1 })).toBe('u-2 SG, u-3 VN');
    const file = `userId,country\n"u-0,SG\n${many((n) => `u-${n + 1},SG`, 20_000)}\n`;
    const read = await readUsers(file, { acceptRejected: 1 });
    expect(typeof read === 'string' ? read : read.users.length).toBe(20_000);
  });

  it('cause a warning if Excel has rounded their ids, or if ids differ only by case or width', async () => {
    const warnings = async (file: string) => (await readingOf(file, sg)).warnings.map(({ code }) => code);
    for (const id of ['6.59123E+11', '6,59123E+11', '1E+15', '6.59123e+11', '6.5E+09'])
      expect(await warnings(`userId;x\nu-1;\n${id};\n`)).toEqual(['rounded-ids']);
    for (const id of ['U-1', 'u-\uff11', '\uff55-1'])
      expect(await warnings(`userId\nu-1\n${id}\n`)).toEqual(['nearly-equal-ids']);
    expect(await warnings('userId\nu-1\nu-1\nE+1\n1E+\n6.59123E-11\n')).toEqual([]);
  });
});

describe('the share of rejected rows of a file', () => {
  const file = (rejected: number) =>
    `userId\n${many((n) => `u-${n}`, 100 - rejected)}\n${many(() => 'NULL', rejected)}\n`;

  it('may be at most 5 % unless the sender accepts more', async () => {
    expect((await usersOf(file(5), sg)).split(', ')).toHaveLength(95);
    expect(await usersOf(file(6), sg)).toBe('too-many-rejected');
    expect(await usersOf(file(6), { ...sg, acceptRejected: 5 })).toBe('too-many-rejected');
    expect((await usersOf(file(6), { ...sg, acceptRejected: 6 })).split(', ')).toHaveLength(94);
    expect(await usersOf('userId\nNULL\n', { ...sg, acceptRejected: 1 })).toBe('no-users');
    expect(await usersOf('userId\n', sg)).toBe('no-users');
    expect(await usersOf('', sg)).toBe('no-users');
  });
});

describe('a file whose first 64 KiB contain no complete line', () => {
  it.each([
    ['one long line', 'x1'.repeat(70_000)],
    ['empty lines', `${'\n'.repeat(130_000)}userId\nu-1\n`],
  ])('is refused: %s', async (_what, text) => {
    expect(await usersOf(text, { ...sg, chunkBytes: 60_000 })).toBe('unreadable-file');
  });
});
