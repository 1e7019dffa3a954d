import v8 from 'node:v8';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { processEnvironment, readEnvironment } from '../configuration/environment.ts';
import { keepRunning } from './process.ts';
import { v8Flags } from './v8-flags.ts';

afterEach(() => vi.restoreAllMocks());

describe('a process', () => {
  it('sets its V8 flags itself, before its service starts', async () => {
    const settings = readEnvironment(processEnvironment, { LOG_LEVEL: 'silent' });
    const setFlags = vi.spyOn(v8, 'setFlagsFromString').mockReturnValue();
    let flags: unknown[] = [];
    const start = () => {
      flags = setFlags.mock.calls.flat();
      return Promise.reject(new Error('started'));
    };
    await expect(keepRunning('test', settings, start)).rejects.toThrow('started');
    expect(flags).toEqual(v8Flags);
  });
});
