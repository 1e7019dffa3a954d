import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gates } from './gates.ts';

const names = gates.map(({ name }) => name);

/** Returns the names of gates in the second column of a table in this file. */
function namesIn(file: string): string[] {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, name] = /^[ *]*\| \d+ +\| ([a-z ]+?) +\|/.exec(line) ?? [];
    return name === undefined ? [] : [name];
  });
}

describe('the gates before a call', () => {
  it('are listed in the same order in the code and in two tables', () => {
    expect(namesIn('./gates.ts')).toEqual(names);
    expect(namesIn('../../../docs/execution-path.md')).toEqual(names);
  });

  it('are each evaluated at the claim or before the call', () => {
    for (const gate of gates) expect(gate.claimed ?? gate.call, gate.name).toBeDefined();
  });

  it('are evaluated before a check as before a call, except the gates trial, suspect and fault try', () => {
    const callOnly = gates.filter(({ call, check }) => call && !check).map(({ name }) => name);
    expect(callOnly).toEqual(['trial', 'suspect', 'fault try']);
  });

  it('begin with the gates that end a run or users, then those that wait, and a fault comes before quiet hours', () => {
    const order = ['stopped', 'deadline', 'budget', 'suppression', 'hold', 'quiet hours', 'check', 'trial', 'suspect'];
    expect(names.filter((name) => order.includes(name))).toEqual(order);
  });

  it('end with the gates fault try and slots', () => {
    expect(names.slice(-2)).toEqual(['fault try', 'slots']);
  });
});
