import { beforeEach, describe, expect, it } from 'vitest';
import type { Dispatchers } from '../../../services/scheduler/ports/dispatchers.ts';
import type { JobNodes, NodeCredit } from '../../../shared/ports/job-nodes.ts';
import { clientIdOf } from './job-subject.ts';

export interface DispatchersSubject {
  nodes: JobNodes;
  dispatchers: Dispatchers;
  passTime(ms: number): Promise<void>;
  /** Activates or deactivates one of the regions `local` and `other`, which are active at first. */
  switchRegion(name: string, active: boolean): Promise<void>;
}

const ttlMs = 9000;

export function describeDispatchers(name: string, makeSubject: () => Promise<DispatchersSubject>): void {
  describe(`dispatchers: ${name}`, () => {
    let subject: DispatchersSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });

    const tell = (owner: string, credit: NodeCredit | null, region = 'local') =>
      subject.nodes.beat({ owner, kind: 'dispatcher', region, figures: {}, credit }, ttlMs);
    const credit = async (region = 'local') =>
      (await subject.dispatchers.credit(region)).sort((a, b) => (a.owner < b.owner ? -1 : 1));

    it('report their credit for each client by region, and the last report counts', async () => {
      await tell('a', { toAnyClient: 10, toClients: {} });
      await tell('a', { toAnyClient: 200, toClients: { [clientIdOf(1)]: 7 } });
      await tell('b', { toAnyClient: 100, toClients: {} });
      await tell('c', { toAnyClient: 100, toClients: {} }, 'other');
      expect(await credit()).toEqual([
        { owner: 'a', toAnyClient: 200, toClients: new Map([[clientIdOf(1), 7]]) },
        { owner: 'b', toAnyClient: 100, toClients: new Map() },
      ]);
    });

    it('are listed in a stable order while they are alive, whatever their region', async () => {
      for (const owner of ['b', 'left', 'B', 'a']) await tell(owner, null, owner === 'a' ? 'other' : 'local');
      await subject.nodes.beat({ owner: 's', kind: 'scheduler', region: 'local', figures: {}, credit: null }, ttlMs);
      await tell('elsewhere', null, 'unknown');
      await subject.nodes.leave('left');
      expect(await subject.nodes.dispatchers()).toEqual(['B', 'a', 'b']);
      await subject.switchRegion('local', false);
      expect(await subject.nodes.dispatchers()).toEqual(['a']);
      await subject.passTime(ttlMs + 1);
      expect(await subject.nodes.dispatchers()).toEqual([]);
    });

    it('are not listed if they accept no jobs, have left or are dead', async () => {
      for (const owner of ['stopping', 'left', 'dead']) await tell(owner, { toAnyClient: 10, toClients: {} });
      await tell('stopping', null);
      await subject.nodes.leave('left');
      expect((await credit()).map(({ owner }) => owner)).toEqual(['dead']);
      await subject.passTime(ttlMs + 1);
      expect(await credit()).toEqual([]);
    });
  });
}
