import { parseBatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import { refuse, type Action, type ActionAnswer } from './action.port.ts';

type Headers = Parameters<typeof parseBatchRequest>[0];

/** The actions of the connectors' file, as batch endpoints (docs/contracts.md). */
export interface ActionService {
  /** @param body bytes of the body as received */
  apply(id: string, headers: Headers, body: Buffer): Promise<ActionAnswer>;
}

export function createActionService(actions: ReadonlyMap<string, Action>): ActionService {
  return {
    apply: async (id, headers, body) => {
      const action = actions.get(id);
      if (!action) return refuse(404, 'no-such-action', `there is no action ${JSON.stringify(id)}`);
      const parsed = parseBatchRequest(headers, body);
      return parsed.ok ? await action.apply(parsed.request) : parsed;
    },
  };
}
