import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { root } from './commands.ts';
import { lowestNode } from './nightly-lowest-node.ts';

describe('the lowest supported Node version', () => {
  it('is the first version that engines allows', () => {
    expect(lowestNode('>=22.22')).toBe('22.22.0');
    expect(() => lowestNode('22 || 24')).toThrow('engines.node 22 || 24: expected >=<major>.<minor>');
  });

  it('can be read from package.json', () => {
    const packageFile = z.object({ engines: z.object({ node: z.string() }) });
    const { engines } = packageFile.parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));
    expect(lowestNode(engines.node)).toMatch(/^\d+\.\d+\.0$/);
  });
});
