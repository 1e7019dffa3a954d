import { parseBatchRequest, type Refusal } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { TargetError, type ActionSettings, type FirstResults, type Target } from '../databases/target.port.ts';

export interface ActionServiceDeps {
  actions: ReadonlyMap<string, ActionSettings>;
  /** Databases by name. */
  targets: ReadonlyMap<string, Target>;
  logger: Logger;
}

export interface FullAnswer {
  results: ({ id: string; status: 'succeeded' } | { id: string; status: 'failed'; code: string })[];
}

export type ActionAnswer = { ok: true; value: FullAnswer } | { ok: false; refusal: Refusal };

type Headers = Parameters<typeof parseBatchRequest>[0];

/** The actions of the file, as batch endpoints of class A (docs/contracts.md). */
export interface ActionService {
  /** @param body as sent */
  apply(id: string, headers: Headers, body: Buffer): Promise<ActionAnswer>;
}

export function createActionService({ actions, targets, logger }: ActionServiceDeps): ActionService {
  return {
    apply: async (id, headers, body) => {
      const action = actions.get(id);
      const target = action && targets.get(action.database);
      if (!target) return refuse(404, 'no-such-action', `there is no action ${JSON.stringify(id)}`);
      const parsed = parseBatchRequest(headers, body);
      if (!parsed.ok) return parsed;
      const { request } = parsed;
      try {
        const results = await target.apply(action, request);
        return { ok: true, value: answerOf(request.call.users, results) };
      } catch (error) {
        if (!(error instanceof TargetError)) throw error;
        const { run, step, country, batch } = request.call;
        logger.warn(
          { action: id, run, step, country, batch, kind: error.kind, cause: error.message },
          'batch not applied',
        );
        return refusalOf(action, error);
      }
    },
  };
}

function answerOf(users: readonly string[], results: FirstResults): FullAnswer {
  return {
    results: users.map((id) => {
      const code = results.get(id);
      if (code === undefined) throw new Error('a user of the request has no result');
      return code === null ? { id, status: 'succeeded' } : { id, status: 'failed', code };
    }),
  };
}

/** Chooses the status by which Muster concludes whether the call was applied, and may be repeated. */
function refusalOf({ id, database }: ActionSettings, { kind, message, sqlState }: TargetError): ActionAnswer {
  const cause = `actions.${id}: database "${database}": ${message}`;
  switch (kind) {
    case 'refused':
      return refuse(422, `sql-${sqlState ?? 'refused'}`, cause);
    case 'misconfigured':
      return refuse(501, 'misconfigured', cause);
    case 'not-applied':
      return { ok: false, refusal: { status: 503, code: 'not-applied', message: cause, retryAfterSeconds: 1 } };
    case 'unknown':
      return refuse(500, 'unknown', cause);
  }
}

function refuse(status: number, code: string, message: string): ActionAnswer {
  return { ok: false, refusal: { status, code, message } };
}
