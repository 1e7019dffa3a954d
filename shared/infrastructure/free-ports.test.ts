import { describe, expect, it } from 'vitest';
import { claimPort, findFreePorts } from './free-ports.ts';

describe('free ports', () => {
  it('are unique over concurrent callers', async () => {
    const found = (await Promise.all(Array.from({ length: 10 }, () => findFreePorts(60)))).flat();
    expect(new Set(found).size).toBe(600);
  });

  it('are refused to a second process that claims the same port within a minute', async () => {
    const [port = 0] = await findFreePorts(1);
    expect(await claimPort(port)).toBe(false);
  });
});
