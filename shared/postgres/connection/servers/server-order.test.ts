import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/support/properties.ts';
import { parseDatabaseUrl } from '../../../runtime/configuration/database-url.ts';
import { tryServers, NoServerError, SkippedServerError } from './try-servers.ts';
import { createServerOrder } from './server-order.ts';

const { servers } = parseDatabaseUrl('postgres://a,b,c,d/db');
const [a, b, c, d] = servers;

describe('the order of database servers', () => {
  it('is the order of the URL', () => {
    const order = createServerOrder(servers);
    const tried = servers.map(() => {
      const next = order.next();
      order.skip(next);
      return next;
    });
    expect(tried).toEqual(servers);
    expect(order.next(), 'all were skipped, so it begins again').toBe(a);
  });

  it('begins with the last suitable server, followed by the others as in the URL', () => {
    const order = createServerOrder(servers);
    expect(order.recordAccepted(c ?? a)).toBe(true);
    expect(order.recordAccepted(c ?? a)).toBe(false);
    const tried = servers.map(() => {
      const next = order.next();
      order.skip(next);
      return next;
    });
    expect(tried).toEqual([c, a, b, d]);
  });

  it('leads to the primary at any position, for any number of concurrent searches', async () => {
    const place = fc.integer({ min: 0, max: servers.length - 1 });
    await fc.assert(
      fc.asyncProperty(place, place, fc.integer({ min: 1, max: 12 }), fc.scheduler(), async (now, before, many, s) => {
        const order = createServerOrder(servers);
        order.recordAccepted(servers[before] ?? a);
        const read = () =>
          tryServers({ servers: servers.length, wanted: 'read-write' }, async () => {
            const tried = order.next();
            await s.schedule(Promise.resolve());
            if (tried === servers[now]) {
              order.recordAccepted(tried);
              return tried;
            }
            order.skip(tried);
            throw new SkippedServerError(tried, 'is a standby');
          });
        const found = Promise.all(Array.from({ length: many }, read));
        await s.waitFor(found);
        expect(new Set(await found)).toEqual(new Set([servers[now]]));
      }),
    );
  });
});

describe('the search for a suitable database server', () => {
  const wanted = { servers: servers.length, wanted: 'read-write' } as const;

  it('reports for each server why it is not suitable', async () => {
    const order = createServerOrder(servers);
    const found = tryServers(wanted, () => {
      const tried = order.next();
      order.skip(tried);
      return Promise.reject(new Error('the pool says', { cause: new SkippedServerError(tried, `not ${tried.host}`) }));
    });
    await expect(found).rejects.toThrow(NoServerError);
    await expect(found).rejects.toThrow(
      'no server in DATABASE_URL may be written to: a:5432: not a; b:5432: not b; c:5432: not c; d:5432: not d',
    );
  });

  it('ends at once with an error that no other server can avoid', async () => {
    let tries = 0;
    const found = tryServers(wanted, () => {
      tries++;
      return Promise.reject(new Error('password authentication failed'));
    });
    await expect(found).rejects.toThrow('password authentication failed');
    expect(tries).toBe(1);
  });
});
