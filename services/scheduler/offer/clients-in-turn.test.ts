import { describe, expect, it } from 'vitest';
import { createClientCredit } from './client-credit.ts';
import { createClientsInTurn, type BandOfClient } from './clients-in-turn.ts';

const readEveryMs = 100;
const clientsOfRead = 64;

/** Creates clients that all have waiting jobs and the same rate, and counts the requests for their credit. */
function setUp(clients: number, rate: () => number) {
  const credit = createClientCredit({ rateOf: rate, share: () => 1 });
  const inTurn = createClientsInTurn<BandOfClient>();
  for (let nth = 0; nth < clients; nth++) inTurn.add({ clientId: `client-${nth}`, priority: undefined });
  let requested = 0;
  const counted = {
    left: (clientId: string, nowMs: number) => {
      requested++;
      return credit.left(clientId, nowMs);
    },
    untilRateAllowsMs: (clientId: string, nowMs: number) => {
      requested++;
      return credit.untilRateAllowsMs(clientId, nowMs);
    },
  };
  /** Reads all clients whose turn it is, offers a job of each client, and returns the clients. */
  function read(nowMs: number): string[] {
    credit.refresh([{ owner: 'd', toAnyClient: 200, toClients: new Map() }], nowMs);
    const offered: string[] = [];
    do {
      for (const { clientId } of inTurn.next(clientsOfRead, counted, nowMs)) {
        if (credit.spend(clientId, nowMs)) offered.push(clientId);
      }
    } while (inTurn.isMidTurn);
    return offered;
  }
  const takeRequested = () => {
    const taken = requested;
    requested = 0;
    return taken;
  };
  return { read, takeRequest: takeRequested };
}

describe('the clients that are read in turn', () => {
  it.each([10, 1000])(
    'are read only as often as their rates allow, for %s clients with one call in ten seconds',
    (clients) => {
      const { read, takeRequest } = setUp(clients, () => 0.1);
      expect(read(0)).toHaveLength(clients);
      takeRequest();
      const reads = 200;
      const offered = Array.from({ length: reads }, (_, nth) => read((nth + 1) * readEveryMs)).flat();
      expect(offered).toHaveLength(2 * clients);
      // If every read checked every client, each client would be checked 200 times.
      expect(takeRequest() / clients).toBeLessThan(50);
    },
  );

  it('are read as soon as their own rate allows the next job', () => {
    const { read } = setUp(3, () => 0.7);
    read(0);
    const times = Array.from({ length: 50 }, (_, nth) => (nth + 1) * readEveryMs).filter((at) => read(at).length > 0);
    expect(times).toEqual([1500, 3000, 4500]);
  });

  it('are read within half a second after their rate limit was raised', () => {
    let rate = 0.01;
    const { read } = setUp(3, () => rate);
    read(0);
    expect(read(readEveryMs)).toEqual([]);
    rate = 100;
    const times = Array.from({ length: 9 }, (_, nth) => (nth + 2) * readEveryMs).filter((at) => read(at).length > 0);
    expect(times[0]).toBeLessThanOrEqual(600);
  });

  it('are read in each turn while they wait for credit', () => {
    const credit = createClientCredit({ rateOf: () => undefined, share: () => 1 });
    const inTurn = createClientsInTurn<BandOfClient>();
    inTurn.add({ clientId: 'one', priority: 'low' });
    inTurn.add({ clientId: 'one', priority: 'high' });
    expect(inTurn.next(clientsOfRead, credit, 0)).toEqual([]);
    credit.refresh([{ owner: 'd', toAnyClient: 1, toClients: new Map([['one/low', 0]]) }], 1);
    expect(inTurn.next(clientsOfRead, credit, 1).map(({ priority }) => priority)).toEqual(['high']);
    credit.refresh([{ owner: 'd', toAnyClient: 1, toClients: new Map() }], 2);
    expect(inTurn.next(clientsOfRead, credit, 2).map(({ priority }) => priority)).toEqual(['high', 'low']);
  });
});
