import type { Logger } from '../../../shared/runtime/logger.ts';
import { refuse, type Action, type ActionAnswer, type UserAnswer } from '../actions/action.port.ts';
import { TargetError, type FirstResults, type SqlActionSettings, type Target } from '../databases/target.port.ts';

export interface SqlActionDeps {
  target: Target;
  logger: Logger;
}

/** Creates an SQL action, of contract class A. */
export function createSqlAction(settings: SqlActionSettings, { target, logger }: SqlActionDeps): Action {
  return {
    apply: async (request) => {
      try {
        const results = await target.apply(settings, request);
        return { ok: true, value: { results: answersOf(request.call.users, results) } };
      } catch (error) {
        if (!(error instanceof TargetError)) throw error;
        const { run, step, country, batch } = request.call;
        logger.warn(
          { action: settings.id, run, step, country, batch, kind: error.kind, cause: error.message },
          'batch not applied',
        );
        return refusalOf(settings, error);
      }
    },
  };
}

function answersOf(users: readonly string[], results: FirstResults): UserAnswer[] {
  return users.map((id) => {
    const code = results.get(id);
    if (code === undefined) throw new Error('a user of the request has no result');
    return code === null ? { id, status: 'succeeded' } : { id, status: 'failed', code };
  });
}

/** Selects the status from which Muster concludes if the call was applied, and if it may be repeated. */
function refusalOf({ id, database }: SqlActionSettings, { kind, message, sqlState }: TargetError): ActionAnswer {
  const cause = `actions.${id}: database "${database}": ${message}`;
  switch (kind) {
    case 'refused':
      return refuse(422, `sql-${sqlState ?? 'refused'}`, cause);
    case 'misconfigured':
      return refuse(501, 'misconfigured', cause);
    case 'not-applied':
      return refuse(503, 'not-applied', cause, 1);
    case 'unknown':
      return refuse(500, 'unknown', cause);
  }
}
