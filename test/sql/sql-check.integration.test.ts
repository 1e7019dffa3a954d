import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { rightStatements, type wrongStatements } from './wrong-statements.ts';

const file = 'test/sql/wrong-statements.ts';
const lines = readFileSync(join(import.meta.dirname, 'wrong-statements.ts'), 'utf8').split('\n');
/** What it has to say of each. */
const problems: Record<keyof typeof wrongStatements, string> = {
  'a column that there is not': 'column "nickname" does not exist',
  'a table that there is not': 'relation "camp_aigns" does not exist',
  'a value too many': '1 parameters, and 2 values',
  'a parameter of another type in the statement': 'operator does not exist: timestamp with time zone > integer',
  'a time that is handed over as a number': 'parameter $1 is no number, which it gets',
  'a list that is handed over as JSON': 'parameter $1 is no array, which it gets',
  'a flag that is handed over as a number, by name': 'parameter revision is no boolean, which it gets',
  'a row with a field that is no column': 'no column "nickname", which the type of its rows has',
  'a row whose number comes as a text': 'column "many" is a string, and said to be number',
  'a row whose list is said to be one text': 'column "ids" is a array, and said to be string',
  'a row of which nothing is said but that it is an object': 'the type of its rows names no column',
  'a text that cannot be followed': 'is a statement that cannot be followed to its text',
};

let ended: { code: unknown; out: string };

/** What the check says of the statement of that name. */
function saidOf(name: string): string[] {
  const first = lines.findIndex((line) => line.includes(`'${name}':`)) + 1;
  if (first === 0) throw new Error(`no statement is called ${name}`);
  const behind = lines.findIndex((line, index) => index >= first && (line === '' || line === '};')) + 1;
  return ended.out.split('\n').flatMap((line) => {
    const found = /^test\/sql\/wrong-statements\.ts:(\d+) (.*)$/.exec(line);
    const place = Number(found?.[1]);
    return found && first <= place && place < behind ? [found[2] ?? ''] : [];
  });
}

describe('the check of statements against the schema', () => {
  beforeAll(async () => {
    ended = await new Promise((resolve) => {
      execFile(process.execPath, [join(import.meta.dirname, 'main.ts'), file], (error, out) => {
        resolve({ code: error?.code ?? 0, out });
      });
    });
  }, 120_000);

  it.each(Object.entries(problems))('notices %s', (name, problem) => {
    expect(saidOf(name)).toEqual([problem]);
  });

  it.each(Object.keys(rightStatements))('has nothing to say of %s', (name) => {
    expect(saidOf(name)).toEqual([]);
  });

  it('fails where it notices something', () => {
    expect(ended.code).toBe(1);
  });
});
