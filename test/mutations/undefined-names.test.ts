import { describe, expect, it } from 'vitest';
import { undefinedNamesIn } from './undefined-names.ts';

const namesIn = (source: string) => undefinedNamesIn(new Map([['module', source]])).get('module');

describe('undefinedNamesIn', () => {
  it('finds a name that nothing declares', () => {
    expect(namesIn('export const a = () => queues.queued;')).toEqual(["Cannot find name 'queues'."]);
  });

  it('finds an undeclared name in a shorthand property', () => {
    expect(namesIn('export const a = { queues };')).toHaveLength(1);
  });

  it('accepts imported, local and global names', () => {
    const source =
      "import { b } from './b.ts';\nexport const a = (c: number) => [b, c, process.env, setTimeout, Buffer];";
    expect(namesIn(source)).toEqual([]);
  });

  it('separates the names of two modules', () => {
    const modules = new Map([
      ['first', 'export const a = 1;'],
      ['second', 'export const b = a;'],
    ]);
    expect(undefinedNamesIn(modules)).toEqual(
      new Map([
        ['first', []],
        ['second', ["Cannot find name 'a'."]],
      ]),
    );
  });
});
