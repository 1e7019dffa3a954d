import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gates } from './gates.ts';

const names = gates.map(({ name }) => name);

/** The names in the second column of the table of gates. */
function namesIn(file: string): string[] {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, name] = /^[ *]*\| \d+ +\| ([a-z ]+?) +\|/.exec(line) ?? [];
    return name === undefined ? [] : [name];
  });
}

describe('the gates before a call', () => {
  it('are asked in the order that their tables show', () => {
    expect(namesIn('./gates.ts')).toEqual(names);
    expect(namesIn('../../../docs/execution-path.md')).toEqual(names);
  });

  it('are each asked before every call, as soon as the answer can be known', () => {
    for (const gate of gates) expect(gate.claimed ?? gate.call, gate.name).toBeDefined();
  });

  it('ask before a check whatever they ask before the call, but what concerns its own batch alone', () => {
    const callOnly = gates.filter(({ call, check }) => call && !check).map(({ name }) => name);
    expect(callOnly).toEqual(['trial', 'suspect', 'fault try']);
  });

  it('put what ends a run or a user before what waits, and a fault before quiet hours', () => {
    const order = ['stopped', 'deadline', 'budget', 'suppression', 'hold', 'quiet hours', 'check', 'trial', 'suspect'];
    expect(names.filter((name) => order.includes(name))).toEqual(order);
  });

  it('put what is taken last', () => {
    expect(names.slice(-2)).toEqual(['fault try', 'slots']);
  });
});
