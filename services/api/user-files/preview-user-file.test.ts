import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { userFilePreview, type UserFilePreview } from '../../../shared/contracts/campaigns/user-file-preview.ts';
import { systemClock } from '../../../shared/runtime/system-clock.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import type { ColumnChoice } from './file-columns.ts';
import { previewUserFile } from './preview-user-file.ts';

interface PreviewAs extends ColumnChoice {
  all?: string;
  isWithoutCountries?: boolean;
  acceptRejected?: number;
  countries?: Pick<ReadonlySet<string>, 'has'>;
}

const configured = new Set(['SG', 'ID', 'VN']);

async function preview(file: string | Buffer, as: PreviewAs = {}): Promise<UserFilePreview> {
  const { all = null, isWithoutCountries = false, acceptRejected, countries = configured, ...choice } = as;
  const answer = await previewUserFile({
    body: Readable.from([Buffer.from(file)]),
    encoding: 'plain',
    clock: systemClock,
    choice,
    acceptRejected,
    country: all,
    countries,
    hasCountries: !isWithoutCountries,
  });
  return userFilePreview.parse(answer);
}

const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

const usesOf = ({ columns }: UserFilePreview) => columns.map(({ name, use }) => `${name}: ${use}`);

describe('a preview of a file', () => {
  it('shows columns with their use, the first five users and the number of users of each country', async () => {
    const file = `plan;customer_id;country\n${lines(6, (n) => `x;u-${n};SG`)}\nx;u-9;Vietnam\n`;
    const result = await preview(file);
    expect(usesOf(result)).toEqual(['plan: ignored', 'customer_id: user', 'country: country']);
    expect(result).toMatchObject({
      format: 'plain',
      reading: { encoding: 'utf-8', separator: ';', userColumn: 'customer_id', countryColumn: 'country' },
      rows: 7,
      users: 7,
      rejected: 0,
      rejects: [],
      refusal: null,
      usersElsewhere: 0,
      countries: [
        { country: 'SG', users: 6 },
        { country: 'VN', users: 1 },
      ],
    });
    expect(result.firstUsers).toEqual([0, 1, 2, 3, 4].map((n) => ({ line: n + 2, userId: `u-${n}`, country: 'SG' })));
  });

  it('reads the whole file, whatever the number of its chunks', async () => {
    const result = await preview(`userId\n${lines(45_000, (n) => `u-${n}`)}\nNULL\n`, { all: 'SG' });
    expect(result).toMatchObject({ rows: 45_001, users: 45_000, rejected: 1, countries: [{ users: 45_000 }] });
    expect(result.rejects).toMatchObject([{ line: 45_002, rule: 'no-value' }]);
    expect(result.firstUsers).toHaveLength(5);
  });

  it('shows the format of a compressed file', async () => {
    const result = await preview(gzipSync('userId\nu-1\n'), { all: 'SG' });
    expect(result).toMatchObject({ format: 'gzip', users: 1 });
  });

  it('shows the first ten rejected rows with line, value and a description of the rule, and the number of all', async () => {
    const result = await preview(`userId\n${lines(300, (n) => `u-${n}`)}\n${lines(12, () => 'NULL')}\n`, { all: 'SG' });
    expect(result).toMatchObject({ users: 300, rejected: 12, refusal: null });
    expect(result.rejects).toHaveLength(10);
    const detail = 'the user id is a mark for a missing value, such as NULL or #N/A';
    expect(result.rejects[0]).toEqual({ line: 302, value: 'NULL', rule: 'no-value', detail });
  });

  it('lists the fifty countries with the most users, and sums the users of all other countries', async () => {
    const codes = ['A', 'B'].flatMap((first) => Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ', (second) => first + second));
    const rows = codes.flatMap((code, place) => (code === 'BZ' ? [`x,${code}`, `y,${code}`] : [`u-${place},${code}`]));
    const result = await preview(`userId,country\n${rows.join('\n')}\n`, { countries: new Set(codes) });
    expect(result.countries).toHaveLength(50);
    expect(result.countries[0]).toEqual({ country: 'BZ', users: 2 });
    expect(result).toMatchObject({ users: 53, usersElsewhere: 2 });
  });

  it('has the same warnings as an upload', async () => {
    const result = await preview('userId;x\n6.59123E+11;\n', { all: 'SG' });
    expect(result.reading?.warnings).toMatchObject([{ code: 'rounded-ids' }]);
  });

  it('has no countries if the users of the file have none', async () => {
    const result = await preview('userId,country\nu-1,SG\n', { isWithoutCountries: true });
    expect(usesOf(result)).toEqual(['userId: user', 'country: ignored']);
    expect(result).toMatchObject({ users: 1, countries: [], firstUsers: [{ userId: 'u-1', country: null }] });
  });

  it('shows numbers for the columns of a file without a header', async () => {
    const result = await preview('x,u-1,SG\n', { header: 'none', user: '2', country: '3' });
    expect(usesOf(result)).toEqual(['1: ignored', '2: user', '3: country']);
    expect(result.firstUsers).toEqual([{ line: 1, userId: 'u-1', country: 'SG' }]);
  });
});

describe('a preview of a file that an upload refuses', () => {
  it('lists the columns if no column is known to contain users, and shows users after a column was chosen', async () => {
    const file = 'kunde,land\nu-1,SG\n';
    const result = await preview(file);
    expect(usesOf(result)).toEqual(['kunde: ignored', 'land: ignored']);
    expect(result).toMatchObject({ reading: null, rows: 0, firstUsers: [], refusal: { code: 'no-user-column' } });
    const chosen = await preview(file, { user: 'kunde', country: 'land' });
    expect(usesOf(chosen)).toEqual(['kunde: user', 'land: country']);
    expect(chosen).toMatchObject({ refusal: null, firstUsers: [{ userId: 'u-1', country: 'SG' }] });
  });

  it('shows users without their country if no column contains countries', async () => {
    const result = await preview('userId,land\nu-1,SG\nNULL,SG\n');
    expect(usesOf(result)).toEqual(['userId: user', 'land: ignored']);
    expect(result).toMatchObject({ refusal: { code: 'no-country-column' }, rows: 2, users: 1, rejected: 1 });
    expect(result.firstUsers).toEqual([{ line: 2, userId: 'u-1', country: null }]);
  });

  it.each([
    ['unknown-column', 'userId,land\nu-1,SG\n', { country: 'market' }],
    ['repeated-column', 'userId,userId,country\nu-1,u-1,SG\n', {}],
    ['unclear-separator', 'userId,country\nu-1;SG\nu-2;SG\n', {}],
    ['unknown-column', 'u-1,SG\n', { header: 'none', user: '9' }],
  ] as const)('has the reason and reads no row: %s', async (code, file, as) => {
    const result = await preview(file, as);
    expect(result).toMatchObject({ reading: null, rows: 0, refusal: { code } });
    expect(result.columns.length).toBeGreaterThan(1);
  });

  it('has the reason if more rows are rejected than the sender accepts', async () => {
    const file = 'userId,country\nu-1,SG\nu-2,XX\nNULL,SG\n';
    expect(await preview(file)).toMatchObject({ users: 1, rejected: 2, refusal: { code: 'too-many-rejected' } });
    expect(await preview(file, { acceptRejected: 2 })).toMatchObject({ users: 1, rejected: 2, refusal: null });
    expect(await preview('userId,country\n')).toMatchObject({ rows: 0, refusal: { code: 'no-users' } });
  });

  it('counts no row if a row has another country than the request, and shows the columns', async () => {
    const result = await preview('userId,country\nu-1,SG\nu-2,ID\n', { all: 'SG' });
    expect(result).toMatchObject({ rows: 0, users: 0, firstUsers: [], refusal: { code: 'other-country' } });
    expect(usesOf(result)).toEqual(['userId: user', 'country: country']);
  });

  it('is refused if the file is not a CSV file or cannot be decompressed', async () => {
    await expect(preview('%PDF-1.7\n')).rejects.toMatchObject({ code: 'unreadable-file' });
    const cut = gzipSync(`userId\n${lines(50_000, (n) => `u-${n * 7919}`)}`).subarray(0, 90_000);
    await expect(preview(cut, { all: 'SG' })).rejects.toThrow(HttpProblem);
    await expect(preview(cut, { all: 'SG' })).rejects.toMatchObject({ code: 'malformed-gzip' });
  });
});
