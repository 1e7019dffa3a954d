import { describe, expect, it } from 'vitest';
import { findMutants } from './find-mutants.ts';
import { applyMutant } from './mutant.ts';

const changesIn = (code: string) =>
  findMutants('a.ts', code).map((mutant) => `${mutant.kind}: ${applyMutant(code, mutant)}`);

describe('a source file', () => {
  it.each([
    ['const a = b < c;', ['comparison: const a = b <= c;']],
    ['const a = b >= c;', ['comparison: const a = b > c;']],
    ['const a = b !== c;', ['equality: const a = b === c;']],
    ['const a = b && c;', ['logic: const a = b || c;']],
    ['const a = Math.ceil(b);', ['rounding: const a = Math.floor(b);']],
    ['const a = b ? c : d;', ['condition: const a = !(b) ? c : d;']],
    ['const a = true;', ['constant: const a = false;']],
    ['const a = 60_000;', ['constant: const a = 120000;']],
    ['const a = 0;', ['constant: const a = 1;']],
    ['const a = 9n;', ['constant: const a = 10n;']],
    ['if (a) return b;', ['condition: if (!(a)) return b;', 'branch: if (a) {}']],
    [
      'if (a === b) { c(); } else d();',
      ['equality: if (a !== b) { c(); } else d();', 'branch: if (a === b) {} else d();'],
    ],
    ['async () => { await a(b); };', ['await: async () => { a(b); };']],
    ['async () => { try { return await a; } catch {} };', ['await: async () => { try { return a; } catch {} };']],
  ])('has a mutant at each rule: %s', (code, changes) => {
    expect(changesIn(code)).toEqual(changes);
  });

  it('has a mutant that changes a small number by one', () => {
    const [after] = findMutants('a.ts', 'const most = 5;').map((mutant) => mutant.after);
    expect(['4', '6']).toContain(after);
  });

  it.each([
    'type A = { a: 1; b: true };',
    'interface A { a: 5 }',
    "import a from 'a';",
    'const a = { 1: b };',
    "logger.warn({ a: b === c, d: 7 }, 'text');",
    "if (a) logger.info('text');",
    "warn('text', a ? b : c);",
    "z.string().describe(a ? 'b' : 'c');",
    "const a = { description: b ? 'c' : 'd', buckets: [1, 2] };",
    'throw new RangeError(`${a ? b : c} is too long`);',
    'async () => await a;',
    'async () => { return await a; };',
  ])('has only mutants that change behaviour: %s', (code) => {
    expect(changesIn(code)).toEqual([]);
  });

  it('has mutants with line, original code and changed code', () => {
    expect(findMutants('a.ts', 'a();\nb(c > d);')).toEqual([
      { file: 'a.ts', line: 2, kind: 'comparison', start: 9, end: 10, before: '>', after: '>=' },
    ]);
  });
});
