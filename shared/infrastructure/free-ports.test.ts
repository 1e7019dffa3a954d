import { describe, expect, it } from 'vitest';
import { findFreePorts } from './free-ports.ts';

describe('free ports', () => {
  it('are unique over concurrent callers', async () => {
    const found = (await Promise.all(Array.from({ length: 10 }, () => findFreePorts(60)))).flat();
    expect(new Set(found).size).toBe(600);
  });
});
