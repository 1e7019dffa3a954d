import { describe, expect, it } from 'vitest';
import { readingOf, rejectsOf, usersOf } from '../../../test/support/read-users.ts';

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const bigEndian = (text: string) => utf16(text).swap16();
const bytes = (latin1: string) => Buffer.from(latin1, 'latin1');
const many = (line: (n: number) => string, count: number) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');
const sg = { all: 'SG' };

describe('a file of another format', () => {
  it.each([
    ['an Excel workbook', bytes('PK\u0003\u0004\u0014\0\0\0\u0008\0wR|]docProps/app.xml')],
    ['an empty ZIP archive', bytes('PK\u0005\u0006\0\0\0\0')],
    ['an old Excel workbook', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
    ['a PDF document', '%PDF-1.7\n1 0 obj\n'],
    ['a PNG image', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
    ['a JPEG image', bytes('\xff\xd8\xff\xe0\0\x10JFIF')],
    ['a GIF image', bytes('GIF89a\x01\0\x01\0')],
    ['a TIFF image', bytes('II*\0\x08\0\0\0')],
    ['a web page', '<!DOCTYPE html>\n<html><body>log in</body></html>'],
    ['a web page without a doctype', '\n <html>\n<body>u-1</body>'],
    ['a table that was copied from a web page', '<table><tr><td>u-1</td></tr></table>'],
    ['an XML document', '<?xml version="1.0"?>\n<users><user id="u-1"/></users>'],
    ['JSON', '{"userId":"u-1"}\n{"userId":"u-2"}'],
    ['a JSON list', '[{"userId":"u-1"}]'],
    ['a document in RTF', '{\\rtf1\\ansi u-1}'],
    ['a Parquet file', bytes('PAR1\x15\x04\x15')],
    ['an SQLite database', bytes('SQLite format 3\0\x10\0')],
    ['bzip2', bytes('BZh91AY&SY\x01')],
    ['xz', bytes('\xfd7zXZ\0')],
    ['zstd', bytes('\x28\xb5\x2f\xfd\x24')],
    ['a 7-Zip archive', bytes("7z\xbc\xaf'\x1c")],
    ['a RAR archive', bytes('Rar!\x1a\x07\0')],
    ['unknown binary data', Buffer.from(Array.from({ length: 400 }, (_, n) => (n * 7) % 31))],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x75, 0, 0, 0])],
    ['UTF-16 without a byte order mark', Buffer.from('userId\nu-1\nu-2\n', 'utf16le')],
    ['Latin-1 in its header', bytes('Schl\xfcssel;userId\n1;u-1\n')],
    ['UTF-16 that is broken', Buffer.concat([utf16('userId\nu-1\n'), Buffer.from([0x00, 0xd8, 0x31, 0x00])])],
  ])('is refused: %s', async (_what, file) => {
    expect(await usersOf(file, sg)).toBe('unreadable-file');
    expect(await usersOf(file, { isWithoutCountries: true })).toBe('unreadable-file');
    expect(await usersOf(file, { ...sg, header: 'none' })).toBe('unreadable-file');
  });

  it.each([
    ['PAR1-0001\nPAR1-0002', 'PAR1-0001 SG, PAR1-0002 SG'],
    ['BZh9\nBZh8', 'BZh9 SG, BZh8 SG'],
    ['PK1\nPK2', 'PK1 SG, PK2 SG'],
    ['GIF8\n7z1', 'GIF8 SG, 7z1 SG'],
  ])('is not confused with ids that begin with the same bytes: %j', async (file, users) => {
    expect(await usersOf(file, sg)).toBe(users);
  });
});

describe('the encoding of a file', () => {
  it.each([
    ['UTF-8', Buffer.from('userId\nj\u00f6-1\n'), 'utf-8'],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffuserId\nj\u00f6-1\n'), 'utf-8'],
    ['UTF-16, little endian', utf16('userId\nj\u00f6-1\n'), 'utf-16le'],
    ['UTF-16, big endian', bigEndian('userId\nj\u00f6-1\n'), 'utf-16be'],
  ] as const)('is recognized for chunks of any size: %s', async (_what, file, encoding) => {
    for (const chunkBytes of [1, 3, 1000]) {
      expect(await usersOf(file, { ...sg, chunkBytes })).toBe('j\u00f6-1 SG');
      expect(await readingOf(file, { ...sg, chunkBytes })).toMatchObject({ encoding, userColumn: 'userId' });
    }
  });

  it('is not guessed: rows that are not UTF-8 are rejected, and even a single one needs consent', async () => {
    const file = Buffer.concat([Buffer.from(`userId\n${many((n) => `u-${n}`, 100)}\n`), bytes('jos\xe9\n')]);
    expect(await usersOf(file, sg)).toBe('too-many-rejected');
    expect(await rejectsOf(file, { ...sg, acceptRejected: 1 })).toBe('102 not-utf-8');
    expect(await rejectsOf(file, { ...sg, acceptRejected: 0 })).toBe('too-many-rejected');
  });

  it.each(['userId\ru-1\ru-2\r', 'userId\r\nu-1\r\nu-2\r\n', 'userId\nu-1\nu-2', '\n\r\n \nuserId\nu-1\n\nu-2\n\n'])(
    'does not change which line ends are recognized: %j',
    async (file) => {
      expect(await usersOf(file, sg)).toBe('u-1 SG, u-2 SG');
    },
  );
});

describe('the separator of a file', () => {
  it.each([
    ['a semicolon', 'userId;country\nu-1;SG\nu-2;VN\n'],
    ['a comma', 'userId,country\nu-1,SG\nu-2,VN\n'],
    ['a tab', 'userId\tcountry\nu-1\tSG\nu-2\tVN\n'],
    ['a bar', 'userId|country\nu-1|SG\nu-2|VN\n'],
    ['a semicolon, named by Excel', 'sep=;\nuserId;country\nu-1;SG\nu-2;VN\n'],
    ['a comma, named by Excel', 'sep=,\r\nuserId,country\r\nu-1,SG\r\nu-2,VN\r\n'],
    ['a tab, named by Excel', 'SEP=\t\nuserId\tcountry\nu-1\tSG\nu-2\tVN\n'],
    ['a semicolon with commas in other fields', 'name, first;userId;country\n"a, b";u-1;SG\nx, y;u-2;VN\n'],
    ['a comma with semicolons in other fields', 'userId,country,tags\nu-1,SG,a;b\nu-2,VN,c;d;e\n'],
    ['a semicolon without a header', 'u-1;SG\nu-2;VN\n'],
    ['a tab without a header', 'u-1\tSG\nu-2\tVN'],
    ['a bar without a header', 'u-1|SG\nu-2|VN'],
    ['quoted fields with blanks around them', 'userId; "country" \n"u-1"; "SG" \nu-2;VN\n'],
    ['a comma with empty columns behind', 'userId,country,,\nu-1,SG,,\nu-2,VN,,\n'],
    ['a semicolon in UTF-16', utf16('userId;country\nu-1;SG\nu-2;VN\n')],
  ])('is detected: %s', async (_what, file) => {
    expect(await usersOf(file)).toBe('u-1 SG, u-2 VN');
    expect(await usersOf(file, { chunkBytes: 1 })).toBe('u-1 SG, u-2 VN');
  });

  it.each([
    ['rows with semicolons under one column', 'userId\nu-1;SG\nu-2;VN\n', 'unclear-separator'],
    ['rows with tabs under one column', 'userId\nu-1\tSG\nu-2\tVN\n', 'unclear-separator'],
    ['rows with semicolons under two columns', 'userId,country\nu-1;SG\nu-2;VN\n', 'unclear-separator'],
    ['rows with commas under two columns', 'userId;country\nu-1,SG\nu-2,VN\n', 'unclear-separator'],
    ['rows with bars under two columns', 'userId,note\nu-1|x\nu-2|y\n', 'unclear-separator'],
    ['most rows with semicolons under an id', 'u-1\nu-2;VN\nu-3;VN\nu-4;VN\n', 'unclear-separator'],
    ['a separator that is none', 'sep=x\nuserIdxcountry\n', 'unreadable-file'],
    ['fields behind the ids alone', 'userId\nu-1,SG\nu-2,VN\n', 'no-users'],
  ])('is never guessed, and the file is refused: %s', async (_what, file, code) => {
    expect(await usersOf(file, sg)).toBe(code);
  });

  it('is not confused with a character in ids, because the first line decides', async () => {
    expect(await usersOf('sep=,\nuserId\na;1\nb;2\n', sg)).toBe('a;1 SG, b;2 SG');
    expect(await usersOf('auth0|6b1f\nauth0|6b20\n', sg)).toBe('auth0|6b1f SG, auth0|6b20 SG');
    expect(await usersOf('userId\nauth0|6b1f\nauth0|6b20\n', sg)).toBe('auth0|6b1f SG, auth0|6b20 SG');
    expect((await readingOf('userId\na;1\nb-2\nb-3\n', sg)).warnings).toMatchObject([{ code: 'separator-in-ids' }]);
  });
});

describe('the column of user ids', () => {
  it.each(
    [
      ...['userId', 'user_id', 'user id', 'User ID', 'USERID', 'user-id', 'user.id', 'id', 'ID', 'uid', 'customer_id'],
      ...[
        'CustomerID',
        'external_id',
        'External User Id',
        'member_id',
        'contactId',
        'subscriber_id',
        'uuid',
        ' userId ',
      ],
      ...['"userId"', 'user\u00a0id', '\u200buserId', 'recipient_id'],
    ].map((name) => [name]),
  )('is recognized by its name: %j', async (name) => {
    expect(await usersOf(`email,${name},plan\na@example.test,u-1,gold\n`, sg)).toBe('u-1 SG');
    expect(await usersOf(`${name}\nu-1\n`, sg)).toBe('u-1 SG');
  });

  it.each(
    [
      ...['email', 'Email', 'E-Mail', 'email_address', 'Phone Number', 'phone', 'PHONE1', 'msisdn', 'mobile', 'name'],
      ...[
        'First Name',
        'address1',
        'Kunde',
        'Kunden-Nr.',
        'column1',
        'Field_2',
        'recipient',
        'handle',
        'Customers 2026',
      ],
      ...['\u7528\u6237\u7f16\u53f7', '#', 'country', 'Table 1', 'e-mail:', 'user_ref*', 'loyalty'],
    ].map((name) => [name]),
  )('is not guessed if its name is unknown, and the header is not read as a user: %j', async (name) => {
    expect(await usersOf(`${name}\na@example.test\n+6591234567\n`, sg)).toBe('no-user-column');
    expect(await usersOf(`${name},plan\na@example.test,gold\nb@example.test,gold\n`, sg)).toBe('no-user-column');
    expect(await usersOf(`${name}\nu-1\n`, { isWithoutCountries: true })).toBe('no-user-column');
    expect(await usersOf(`${name}\nu-1\n`, { isWithoutCountries: true, user: name })).toBe('u-1');
  });

  it.each([
    ['a@example.test'],
    ['+6591234567'],
    ['u-1'],
    ['1'],
    ['a'],
    ['6f1e9ed0-7b0c-4a57-9d3e-1b8b0a0c5f00'],
    ['cus_4QWK2v'],
    ['"u-1"'],
    ['\u4e01'],
    ['0x1f'],
  ])('is the only column of a file without a header if the first line is an id: %j', async (id) => {
    expect(await usersOf(`${id}\nu-2\n`, sg)).toBe(`${id.replaceAll('"', '')} SG, u-2 SG`);
  });

  it('can be chosen by its name, or by its number in a file without a header', async () => {
    const file = 'id,ref,country\n1,u-1,SG\n2,u-2,VN\n';
    expect(await usersOf(file)).toBe('1 SG, 2 VN');
    expect(await usersOf(file, { user: 'ref' })).toBe('u-1 SG, u-2 VN');
    expect(await usersOf(file, { user: ' REF ' })).toBe('u-1 SG, u-2 VN');
    expect(await usersOf(file, { user: 'reference' })).toBe('unknown-column');
    const rows = 'ann,u-1,SG\nbob,u-2,VN\n';
    expect(await usersOf(rows)).toBe('no-user-column');
    expect(await usersOf(rows, { header: 'none', user: '2', country: '3' })).toBe('u-1 SG, u-2 VN');
    expect(await usersOf(rows, { header: 'none', all: 'SG' })).toBe('ann SG, bob SG');
    for (const user of ['0', '4', '1.5', 'userId']) {
      expect(await usersOf(rows, { header: 'none', ...sg, user })).toBe('unknown-column');
    }
    expect(await usersOf('ann\nbob\n', { ...sg, header: 'none' })).toBe('ann SG, bob SG');
    expect(await usersOf('ann,SG\nbob,VN\n', { header: 'none' })).toBe('ann SG, bob VN');
  });

  it('has the preferred one of several known names, and is refused if two columns have this name', async () => {
    expect(await usersOf('id,user_id,uid\n1,u-1,x\n', sg)).toBe('u-1 SG');
    expect(await usersOf('userId,user_id\nu-1,u-2\n', sg)).toBe('repeated-column');
    expect(await usersOf('ref,ref\nu-1,u-2\n', { ...sg, user: 'ref' })).toBe('repeated-column');
  });

  it('is in the description of the file, together with all columns', async () => {
    expect(await readingOf('plan;customer_id;Country\ngold;u-1;sg\n')).toEqual({
      encoding: 'utf-8',
      separator: ';',
      columns: ['plan', 'customer_id', 'Country'],
      userColumn: 'customer_id',
      countryColumn: 'Country',
      trimmed: 0,
      warnings: [],
    });
    expect(await readingOf('u-1\nu-2\n', sg)).toMatchObject({ separator: null, columns: [], userColumn: null });
  });
});

describe('the countries of a file', () => {
  it.each([
    ['codes in small letters', 'userId,country\nu-1,sg\nu-2,vn\n', {}, 'u-1 SG, u-2 VN'],
    ['English names', 'userId,Country Name\nu-1,Singapore\nu-2,viet nam\n', {}, 'u-1 SG, u-2 VN'],
    ['other English names', 'userId,country\nu-1,Vietnam\nu-2,UK\nu-3,Great Britain\n', {}, 'u-1 VN, u-2 GB, u-3 GB'],
    ['the first column', 'country,userId\nVN,u-1\nSG,u-2\n', {}, 'u-1 VN, u-2 SG'],
    ['a column that the caller names', 'userId,market\nu-1,SG\n', { country: 'market' }, 'u-1 SG'],
    ['the country of the request too', 'userId,country\nu-1,SG\nu-2,sg\n', sg, 'u-1 SG, u-2 SG'],
    ['another country than the request', 'country,userId\nVN,u-1\nSG,u-2\n', sg, 'other-country'],
    ['another country than the request, swapped', 'userId,country\nu-1,SG\nu-2,VN\n', sg, 'other-country'],
    ['another country, by name', 'userId,country\nu-1,Vietnam\n', sg, 'other-country'],
    ['another country, without a header', 'u-1,SG\nu-2,VN\n', sg, 'other-country'],
    ['a text that is no country, beside that of the request', 'userId,country\nu-1,Mars\n', sg, 'other-country'],
    ['empty fields beside that of the request', 'userId,country\nu-1,\nu-2,SG\n', sg, 'u-1 SG, u-2 SG'],
    ['no column', 'userId\nu-1\n', {}, 'no-country-column'],
    ['no column, without a header', 'u-1\nu-2\n', {}, 'no-country-column'],
    ['another column than the caller names', 'userId,country\nu-1,SG\n', { country: 'market' }, 'unknown-column'],
    ['a column that the caller names, without a header', 'u-1,SG\n', { country: 'market' }, 'unknown-column'],
    ['two columns', 'userId,country,Country\nu-1,SG,VN\n', {}, 'repeated-column'],
  ])('are read or refused: %s', async (_what, file, as, users) => {
    expect(await usersOf(file, as)).toBe(users);
  });

  it('are rejected row by row if they are not configured', async () => {
    expect(await rejectsOf('userId,country\nu-1,SG\nu-2,FR\nu-3,Mars\nu-4,\nu-5\n')).toBe(
      '3 unknown-country, 4 unknown-country, 5 missing-country, 6 missing-country',
    );
  });

  it('are ignored in a file of users without countries', async () => {
    const file = 'userId;reason;country\nid-1;asked by phone;SG\nid-2;"asked; by mail";Mars\n';
    expect(await usersOf(file, { isWithoutCountries: true })).toBe('id-1, id-2');
    expect(await usersOf('id-1,SG\n', { isWithoutCountries: true })).toBe('no-user-column');
  });
});
