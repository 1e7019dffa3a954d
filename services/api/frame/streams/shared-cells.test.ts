import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sharedCsvRecords, sharedJsonLines } from './shared-cells.ts';
import { csvRecords, jsonLines, type RowWriter } from './stream-rows.ts';

interface Shared {
  country: string | null;
  batchNo: number;
  reason: string | null;
  steps: (string | null)[];
}

interface Row {
  user: string;
  shared: Shared;
}

const cells = { firstOf: ({ user }: Row) => user, sharedOf: ({ shared }: Row) => shared };
const view = ({ user, shared: { steps, ...rest } }: Row) => ({ userId: user, ...rest, steps });
const csvRow = ({ user, shared: { steps, ...rest } }: Row) => ({ userId: user, ...rest, step1: steps[0] });
const columns = ['userId', 'country', 'batchNo', 'reason', 'step1'];

const ofRows = (writer: RowWriter<object>, toObject: (row: Row) => object): RowWriter<Row> => ({
  head: writer.head,
  textOf: (rows) => writer.textOf(rows.map(toObject)),
});

const json = ofRows(jsonLines, view);
const csv = (raw: boolean) => ofRows(csvRecords(columns, { raw, bom: true }), csvRow);

const plain: Shared = { country: 'SG', batchNo: 1, reason: null, steps: ['succeeded'] };
const tricky: Shared = { country: null, batchNo: 2, reason: '=1+1, "quoted"\r\nline', steps: [null] };

const odd = [
  '',
  ' ',
  'a,b',
  'a"b',
  '"',
  '""',
  'a\nb',
  'a\rb',
  'a\r\nb',
  "'a",
  'a;b',
  'a|b',
  'a\\b',
  'a\tb',
  ' a ',
  'userId',
];
const formulas = ['=1+1', '+1', '-1', '@sum', '\tx', '\rx', '＝1', '＋1', '－1', '＠a', '=a,b', '="x"'];
const unicode = ['é', 'ß', '東京', '😀', '\u2028', '\ufeffa', '\u00a0', '\ud800', '٣', 'a\u0301'];
const ordinary = ['user-1', 'a+b@shop.test', '00042', 'x:y/z', '_', '.', '1e5', 'true', 'null', 'a b'];

describe('the writer of rows with shared cells', () => {
  it.each([...odd, ...formulas, ...unicode, ...ordinary])(
    'writes the same text for %j as the general writer',
    (user) => {
      const rows = [plain, tricky, plain].map((shared) => ({ user, shared }));
      expect(sharedJsonLines(cells, json, 'userId').textOf(rows)).toBe(json.textOf(rows));
      for (const raw of [true, false])
        expect(sharedCsvRecords(cells, csv(raw), raw).textOf(rows)).toBe(csv(raw).textOf(rows));
    },
  );

  it('writes the same text for any rows as the general writer, also over several calls', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('=', '+', '-', '@', ',', '"', "'", '\r', '\n', '\t', 'a', ' ', 'é', '😀') }),
      fc.constantFrom(...odd, ...formulas, ...unicode),
    );
    const shared = fc.record({
      country: fc.option(text),
      batchNo: fc.nat(),
      reason: fc.option(text),
      steps: fc.array(fc.option(text), { minLength: 1, maxLength: 3 }),
    });
    const some = fc.array(shared, { minLength: 1, maxLength: 3 });
    const picks = fc.array(fc.tuple(text, fc.nat()), { maxLength: 9 });
    fc.assert(
      fc.property(some, picks, fc.boolean(), (all, picked, raw) => {
        const rows = picked.map(([user, at]) => ({ user, shared: all[at % all.length] ?? plain }));
        const parts = [rows.slice(0, 4), rows.slice(4)];
        const written = (writer: RowWriter<Row>) => parts.map((part) => writer.textOf(part)).join('');
        expect(written(sharedJsonLines(cells, json, 'userId'))).toBe(json.textOf(rows));
        expect(written(sharedCsvRecords(cells, csv(raw), raw))).toBe(csv(raw).textOf(rows));
      }),
    );
  });

  it('writes the same header as the general writer', () => {
    expect(sharedCsvRecords(cells, csv(false), false).head).toBe('\ufeffuserId,country,batchNo,reason,step1\r\n');
    expect(sharedJsonLines(cells, json, 'userId').head).toBe('');
  });
});
