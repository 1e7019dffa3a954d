import { quotaList } from '../../../shared/contracts/access/quotas.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import {
  heavyKinds,
  heavySlotsOfAccount,
  storedQuotas,
  type Quotas,
  type QuotaUse,
} from '../../../shared/domain/quotas.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { EventStreams } from './event-streams.ts';
import type { HeavyRequests } from './heavy-requests.ts';
import { callerOf } from './scopes.ts';

export interface QuotaRoutesDeps {
  quotas: Quotas;
  quotaUse: (account: string) => Promise<QuotaUse | undefined>;
  streams: Pick<EventStreams, 'countOpen'>;
  heavyRequests: Pick<HeavyRequests, 'countUnderWay'>;
}

export function quotaRoutes(server: HttpServer, deps: QuotaRoutesDeps): void {
  const { quotas, quotaUse, streams, heavyRequests } = deps;
  server.route({
    method: 'GET',
    url: '/quotas',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listQuotas',
      summary: 'Show the quotas of the account of this key, and their use',
      description: 'All keys that a key with a scope has created count towards the same quotas.',
      tags: ['keys'],
      response: { 200: jsonAnswer('Each quota', quotaList) },
    },
    handler: async (request) => {
      const { account } = callerOf(request);
      const use = await quotaUse(account);
      const stored = storedQuotas.map((name) => ({ name, used: use?.[name] ?? 0, limit: quotas[name] }));
      const open = { name: 'streams' as const, used: streams.countOpen(account), limit: quotas.streams };
      const heavy = heavyKinds.map((name) => {
        return { name, used: heavyRequests.countUnderWay(name, account), limit: heavySlotsOfAccount };
      });
      return { account: publicId('apiKey', account), items: [...stored, open, ...heavy] };
    },
  });
}
