import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { runMuster } from '../test-muster.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-connectors-'));
const example = 'deploy/examples/connectors.json';
const environment = {
  DATABASE_URL: 'postgres://muster@127.0.0.1/muster',
  SHOP_DATABASE_URL: 'postgres://reader@127.0.0.1/shop',
};

afterAll(() => rmSync(folder, { recursive: true }));

describe('the connectors on the command line', () => {
  it('are checked by muster config check only if the command names them or CONNECTORS_CONFIG is set', async () => {
    const named = await runMuster(['config', 'check', 'connectors'], {
      environment: { ...environment, CONNECTORS_CONFIG: example },
    });
    expect(named.out).toContain('is right for connectors\n');
    expect(named.code).toBe(exitCodes.ok);
    const all = await runMuster(['config', 'check'], { environment: { ...environment, CONNECTORS_CONFIG: example } });
    expect(all.out).toContain('is right for connectors\n');
    const without = await runMuster(['config', 'check'], { environment });
    expect(without.out).not.toContain('CONNECTORS');
  });

  it('report each problem of their file with field and value', async () => {
    const path = join(folder, 'connectors.json');
    writeFileSync(
      path,
      JSON.stringify({ databases: {}, segments: { all: { name: 'All', database: 'shop', query: 'select 1' } } }),
    );
    const { code, out } = await runMuster(['config', 'check', 'connectors'], {
      environment: { ...environment, CONNECTORS_CONFIG: path },
    });
    expect(out).toContain(`${path}: segments.all.database has to be a name from databases (none), not "shop"`);
    expect(code).toBe(exitCodes.failure);
  });

  it('are the only service that accepts --config', async () => {
    const { code, notes } = await runMuster(['serve', 'worker', '--config', example], { environment });
    expect(notes).toContain('--config belongs to `serve connectors`');
    expect(code).toBe(exitCodes.usage);
  });
});
