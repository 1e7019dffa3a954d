import { describe, expect, it } from 'vitest';
import { replaceParameters } from './placeholders.ts';

const marked = (statement: string) => replaceParameters(statement, (parameter) => `<${parameter}>`);

describe('parameters of a statement', () => {
  it.each([
    ['select unnest(:users)', 'select unnest(<users>)'],
    ['where id in (:users) and run = :run', 'where id in (<users>) and run = <run>'],
    ["(:params->>'points')::int", "(<params>->>'points')::int"],
    [':users::text[]', '<users>::text[]'],
    ["select ':users', 'it''s :key'", "select ':users', 'it''s :key'"],
    ['select ":users", `:key`', 'select ":users", `:key`'],
    ['select 1 -- :users\n, :key', 'select 1 -- :users\n, <key>'],
    ['select /* :users\n :key */ :step', 'select /* :users\n :key */ <step>'],
    ['select a[1:step]', 'select a[1:step]'],
    ['select :userses', 'select :userses'],
  ])('are found in %s', (statement, expected) => {
    expect(marked(statement)).toBe(expected);
  });
});
