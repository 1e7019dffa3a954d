import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { rightStatements, type wrongStatements } from './wrong-statements.ts';

const file = 'test/sql/wrong-statements.ts';
const lines = readFileSync(join(import.meta.dirname, 'wrong-statements.ts'), 'utf8').split('\n');
/** Expected problem of each statement. */
const problems: Record<keyof typeof wrongStatements, string> = {
  'an unknown column': 'column "nickname" does not exist',
  'an unknown table': 'relation "camp_aigns" does not exist',
  'a surplus value': '1 parameters, and 2 values',
  'a parameter of the wrong type in the statement': 'operator does not exist: timestamp with time zone > integer',
  'a time that is passed as a number': 'parameter $1 is no number, which it gets',
  'a list that is passed as JSON': 'parameter $1 is no array, which it gets',
  'a flag that is passed as a number, by name': 'parameter revision is no boolean, which it gets',
  'a row type with an unknown column': 'no column "nickname", which the type of its rows has',
  'a row type with a number for a text column': 'column "many" is a string, and said to be number',
  'a row type with a text for a list column': 'column "ids" is a array, and said to be string',
  'a row type without columns': 'the type of its rows names no column',
  'a statement text that cannot be resolved': 'is a statement that cannot be followed to its text',
};

let ended: { code: unknown; out: string };

/** Returns the problems that the check reports for the named statement. */
function reportedOf(name: string): string[] {
  const first = lines.findIndex((line) => line.includes(`'${name}':`)) + 1;
  if (first === 0) throw new Error(`no statement is called ${name}`);
  const behind = lines.findIndex((line, index) => index >= first && (line === '' || line === '};')) + 1;
  return ended.out.split('\n').flatMap((line) => {
    const found = /^test\/sql\/wrong-statements\.ts:(\d+) (.*)$/.exec(line);
    const place = Number(found?.[1]);
    return found && first <= place && place < behind ? [found[2] ?? ''] : [];
  });
}

describe('the check of SQL statements against the schema', () => {
  beforeAll(async () => {
    ended = await new Promise((resolve) => {
      execFile(process.execPath, [join(import.meta.dirname, 'main.ts'), file], (error, out) => {
        resolve({ code: error?.code ?? 0, out });
      });
    });
  }, 120_000);

  it.each(Object.entries(problems))('reports %s', (name, problem) => {
    expect(reportedOf(name)).toEqual([problem]);
  });

  it.each(Object.keys(rightStatements))('reports nothing for %s', (name) => {
    expect(reportedOf(name)).toEqual([]);
  });

  it('exits with 1 if it reports a problem', () => {
    expect(ended.code).toBe(1);
  });
});
