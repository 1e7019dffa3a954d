import { describe, expect, it } from 'vitest';
import { orderSql } from './sql-order.ts';

const order = (firstLines: Record<string, string>) =>
  orderSql(new Map(Object.entries(firstLines).map(([name, line]) => [name, `${line}\ncreate table ${name} ();\n`])));

describe('the order of SQL files', () => {
  it('puts each file after the files that its first line names', () => {
    const lines = { a: '-- after: c, d', b: '-- after: nothing', c: '-- after: d', d: '-- after: b' };
    expect(order(lines)).toEqual(['b', 'd', 'c', 'a']);
  });

  it('keeps the given order of files that do not depend on each other', () => {
    const lines = { c: '-- after: nothing', a: '-- after: nothing', b: '-- after: nothing' };
    expect(order(lines)).toEqual(['c', 'a', 'b']);
  });

  it('throws for a dependency cycle and names its files, but not the files that only depend on it', () => {
    const lines = { a: '-- after: b', b: '-- after: c', c: '-- after: b' };
    expect(() => order(lines)).toThrow('b.sql is after c.sql is after b.sql: a circle');
    expect(() => order(lines)).not.toThrow('a.sql');
    expect(() => order({ a: '-- after: a' })).toThrow('a.sql is after a.sql: a circle');
  });

  it('throws for a file that names an unknown file', () => {
    expect(() => order({ a: '-- after: runs' })).toThrow('a.sql is after runs.sql, which does not exist');
  });

  it.each(['', '-- After: b', '-- after:', '-- after: b,c', '-- after: b, '])(
    'throws for a file with the malformed first line "%s"',
    (line) => {
      expect(() => order({ a: line, b: '-- after: nothing' })).toThrow('the first line of a.sql is not');
    },
  );
});
