import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8');
const linesOf = (text: string) => text.split('\n').map((line) => line.trim());

it.each([
  ['python', 'example.py'],
  ['go', 'example/main.go'],
  ['java', 'src/test/java/io/github/musterhq/Example.java'],
])('the README of the kit for %s shows the example that the tests run', (kit, example) => {
  const [, block = ''] = /^```\w+\n(.*?)^```/ms.exec(read(`${kit}/README.md`)) ?? [];
  const known = new Set(linesOf(read(`${kit}/${example}`)));
  expect(block.length).toBeGreaterThan(300);
  expect(linesOf(block).filter((line) => !known.has(line))).toEqual([]);
});
