import { describe, expect, it } from 'vitest';
import { isStorable } from '../../../shared/domain/ids/stored-text.ts';
import { collect } from '../../../test/support/collect.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { readSettlementLines, type ReadLine } from './settlement-lines.ts';

async function entryOf(form: 'csv' | 'ndjson', line: string | Buffer): Promise<ReadLine['entry'] | undefined> {
  const [read] = await collect(readSettlementLines(chunksOf(line), { form }));
  return read?.entry;
}

async function* chunksOf(line: string | Buffer) {
  await Promise.resolve();
  yield Buffer.from(line);
}

const json = (fields: object) => JSON.stringify({ userId: 'u1', step: 1, outcome: 'succeeded', ...fields });
const x = (length: number) => 'x'.repeat(length);

describe('a line of a settlement file whose user id violates a rule', () => {
  it.each([
    ['csv', 'u\0x,1,succeeded', 'u\\u0000x', 'control-character'],
    ['csv', '"u\0""x",1,succeeded', 'u\\u0000\\"x', 'control-character'],
    ['csv', 'u\u0085x,1,succeeded', 'u\\u0085x', 'control-character'],
    ['csv', ',1,succeeded', '', 'empty'],
    ['csv', '\0', '\\u0000', 'control-character'],
    ['ndjson', json({ userId: 'u\0x' }), 'u\\u0000x', 'control-character'],
    ['ndjson', json({ userId: 'u\ud800' }), 'u\\ud800', 'lone-surrogate'],
    ['ndjson', json({ userId: '\udc00u', step: 0 }), '\\udc00u', 'lone-surrogate'],
    ['ndjson', json({ userId: '' }), '', 'empty'],
  ] as const)('is rejected with the escaped id and the rule: %s %j', async (form, line, userId, rule) => {
    expect(await entryOf(form, line)).toEqual({ userId, rule });
  });

  it('is rejected with a shortened id and a digest of the id, if the id has more than 256 bytes', async () => {
    const entry = await entryOf('csv', `${x(257)},1,succeeded`);
    expect(entry).toEqual({ userId: expect.stringMatching(/^x{256}…#[0-9a-f]{8}$/) as unknown, rule: 'too-long' });
    expect(await entryOf('csv', `${x(256)},1,succeeded`)).toMatchObject({ user: x(256) });
  });
});

describe('a line of a settlement file with a field beside the user id that Postgres cannot store', () => {
  it.each([
    ['csv', 'u1,1,succeeded,,\0'],
    ['csv', 'u1,1,failed,c\0'],
    ['csv', 'u1,1,succeeded\0'],
    ['csv', 'u1,1\0,succeeded'],
    ['ndjson', json({ country: '\0' })],
    ['ndjson', json({ country: 'S\0' })],
    ['ndjson', json({ country: '\ud800' })],
    ['ndjson', json({ code: '\0' })],
    ['ndjson', json({ outcome: '\0' })],
    ['ndjson', json({ more: '\0' })],
  ] as const)('contains only texts that can be stored after it was read: %s %j', async (form, line) => {
    const entry = await entryOf(form, line);
    expect(entry && 'rule' in entry ? entry.userId : entry?.user).toBe('u1');
    expect(Object.values(entry ?? {}).filter((value) => typeof value === 'string' && !isStorable(value))).toEqual([]);
  });

  it('is rejected as malformed if that field is the country', async () => {
    expect(await entryOf('csv', 'u1,1,succeeded,,S\0')).toEqual({ userId: 'u1', rule: 'malformed' });
    expect(await entryOf('ndjson', json({ country: '\udfff' }))).toEqual({ userId: 'u1', rule: 'malformed' });
  });
});

describe('a line of a settlement file that is not UTF-8', () => {
  it.each(['csv', 'ndjson'] as const)('is rejected and is never read as another user: %s', async (form) => {
    const line = form === 'csv' ? 'jos\xe9,1,succeeded' : json({ userId: 'jos\xe9' });
    expect(await entryOf(form, Buffer.from(line, 'latin1'))).toEqual({ userId: null, rule: 'not-utf-8' });
    expect(await entryOf(form, line)).toMatchObject({ user: 'jos\xe9' });
  });
});

describe('a settlement file with names of columns', () => {
  async function settledBy(text: string, choice: { user?: string; header?: 'none' } = {}) {
    try {
      const lines = await collect(readSettlementLines(chunksOf(text), { form: 'csv', choice }));
      return lines.map(({ line, entry }) =>
        'rule' in entry
          ? `${line} ${entry.rule}`
          : [line, entry.user, entry.step, entry.outcome, entry.country].join(' '),
      );
    } catch (error) {
      if (error instanceof HttpProblem) return error.code;
      throw error;
    }
  }

  it.each([
    ['in the usual order', 'userId,step,outcome\nu1,1,failed\n'],
    ['in another order', 'outcome,note,step,user_id\nfailed,x,1,u1\n'],
    ['with semicolons', 'userId;step;outcome;note\nu1;1;failed;"a; b"\n'],
    ['with tabs', 'userId\tstep\toutcome\nu1\t1\tfailed\n'],
    ['with the line of Excel', 'sep=;\r\nuserId;step;outcome\r\nu1;1;failed\r\n'],
    ['with a byte order mark', '\ufeffuserId,step,outcome\nu1,1,failed\n'],
    ['with other common names', 'Customer ID,Step,Outcome\nu1,1,failed\n'],
    ['with blanks at the edges', 'userId , step, outcome\n u1 , 1 , failed \n'],
    ['quoted', '"userId","step","outcome"\n"u1","1","failed"\n'],
    ['with empty columns behind', 'userId,step,outcome,,\nu1,1,failed,,\n'],
  ])('is read by the names of its columns: %s', async (_what, text) => {
    const line = text.startsWith('sep') ? 3 : 2;
    expect(await settledBy(text)).toEqual([`${line} u1 1 failed `]);
  });

  it('may have countries as codes in upper or lower case, or as names', async () => {
    expect(await settledBy('userId,step,outcome,country\nu1,1,failed,sg\nu2,1,failed,Vietnam\n')).toEqual([
      '2 u1 1 failed SG',
      '3 u2 1 failed VN',
    ]);
  });

  it.each([
    ['no column of user ids', 'email,step,outcome\na@example.test,1,failed\n', {}, 'no-user-column'],
    ['no column of steps', 'userId,outcome\nu1,failed\n', {}, 'unknown-column'],
    ['no column of outcomes', 'userId,step,result\nu1,1,failed\n', {}, 'unknown-column'],
    ['not the column that is named', 'userId,step,outcome\nu1,1,failed\n', { user: 'ref' }, 'unknown-column'],
    ['a workbook', 'PK\u0003\u0004\u0014', {}, 'unreadable-file'],
    ['a header in Latin-1', 'Schl\ufffdssel,userId,step,outcome\n1,u1,1,failed\n', {}, 'unreadable-file'],
    ['a web page', '<!doctype html>\n<p>log in</p>', {}, 'unreadable-file'],
    ['JSON', '{"userId":"u1","step":1,"outcome":"failed"}\n', {}, 'unreadable-file'],
  ] as const)('is refused before any user is settled: %s', async (_what, text, choice, code) => {
    expect(await settledBy(text, choice)).toBe(code);
  });

  it('may have a column of user ids that the caller chooses, or no header', async () => {
    expect(await settledBy('ref,step,outcome\nu1,1,failed\n', { user: 'ref' })).toEqual(['2 u1 1 failed ']);
    expect(await settledBy('u1,1,failed\nu2,2,succeeded,,ID\n')).toEqual(['1 u1 1 failed ', '2 u2 2 succeeded ID']);
    expect(await settledBy('u1;1;failed\nu2;2;failed\n')).toEqual(['1 u1 1 failed ', '2 u2 2 failed ']);
    expect(await settledBy('ann,one,failed\nu2,2,failed\n')).toBe('no-user-column');
    expect(await settledBy('ann,one,failed\nu2,2,failed\n', { header: 'none' })).toEqual([
      '1 invalid-step',
      '2 u2 2 failed ',
    ]);
  });

  it('has rejected lines for rows with more fields than columns', async () => {
    expect(await settledBy('userId,step,outcome\nu1,1,failed,x\nu2,1,failed\n')).toEqual([
      '2 malformed',
      '3 u2 1 failed ',
    ]);
  });
});
