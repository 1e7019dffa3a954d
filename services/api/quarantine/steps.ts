import { z } from 'zod';
import {
  quarantinedStep,
  quarantinedStepDetail,
  quarantinedStepGroup,
  stepDecision,
  stepStates,
} from '../../../shared/contracts/quarantine/steps.ts';
import { feedCreatedMs } from '../../../shared/domain/ids/created-at.ts';
import { idPattern } from '../../../shared/domain/ids/ids.ts';
import { mayBeReplayed, replayRefusal } from '../../../shared/domain/run/quarantine.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { campaignsInScope } from '../access/scopes.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { pageQuery } from '../frame/pages.contract.ts';
import { cursorInQuery, idInQuery, pageView } from '../frame/public-ids.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import {
  decisionRoutes,
  readingRoutes,
  stateForbids,
  type DecideItem,
  type KindRules,
  type NamedItem,
} from './kind-routes.ts';
import type { QuarantinedStep, QuarantinedSteps } from './postgres/step-store.ts';
import { stepDetailView, stepGroupView, stepView } from './step-view.ts';

export interface StepRoutesDeps {
  steps: QuarantinedSteps;
  catalogue: CatalogueReader;
  clock: Clock;
}

const sampled = 100;

const rules: KindRules = {
  kind: 'step',
  idKind: 'quarantinedStep',
  access: {
    list: { role: 'viewer', scope: 'campaign' },
    find: { role: 'viewer', scope: 'campaign' },
    decide: { role: 'operator', scope: 'installation' },
  },
};

const filter = {
  runId: z
    .string()
    .optional()
    .meta({ pattern: idPattern('run') }),
  action: z.string().max(64).optional(),
  country: z.string().max(2).optional(),
  state: z.enum(stepStates).optional(),
};

/**
 * Registers the routes of quarantined steps, whose calls repeatedly crashed their workers. No route decides about
 * several steps at once, because the endpoint, key and run of each step determine whether it can be replayed.
 */
export function stepRoutes(server: HttpServer, deps: StepRoutesDeps): void {
  const { steps } = deps;
  readingRoutes(server, rules, {
    query: pageQuery.extend(filter),
    filter: z.strictObject(filter),
    item: quarantinedStep,
    detail: quarantinedStepDetail,
    group: quarantinedStepGroup,
    list: async ({ limit, cursor, runId, ...wanted }, request) => {
      const within = { ...wanted, runId: idInQuery('run', 'runId', runId), within: campaignsInScope(request) };
      const page = await steps.list(within, limit, cursorInQuery('quarantinedStep', cursor));
      return pageView('quarantinedStep', page, (row) => stepView(row, whyNotOf(row, deps)));
    },
    groups: async ({ runId, ...wanted }, request) => {
      const within = { ...wanted, runId: idInQuery('run', 'runId', runId), within: campaignsInScope(request) };
      return (await steps.groups(within)).map(stepGroupView);
    },
    find: async ({ uuid }, request) => {
      const row = await steps.find(uuid, sampled);
      if (!row) return undefined;
      return stepDetailView(request.readsUsers ? row : { ...row, sample: [] }, whyNotOf(row, deps));
    },
  });

  decisionRoutes(
    server,
    { ...rules, decision: stepDecision },
    {
      replay: {
        description:
          'Its users become pending and the step is called again with the same key and bytes. This requires that its run is active or ' +
          'paused, its class is A or B, and the endpoint still keeps the key. The step is called alone on a worker ' +
          'and quarantined again after four more expired leases.',
        decide: replayWith(deps),
      },
      discard: {
        description:
          'Its users stay unknown and can be settled when the run has ended. The step stays in the list as discarded.',
        decide: async (item, request) => {
          const row = await steps.discard(item.uuid);
          if (!row) return undefined;
          request.auditDetail = auditOf(row);
          if (row.state !== 'discarded') throw stateForbids(item, row.state, 'discard');
          return row.state;
        },
      },
    },
  );
}

function replayWith(deps: StepRoutesDeps): DecideItem {
  return async (item, request) => {
    const row = await deps.steps.find(item.uuid, 0);
    if (!row) return undefined;
    request.auditDetail = auditOf(row);
    if (row.state === 'replayed') return row.state;
    await replay(item, row, deps);
    return (await deps.steps.find(item.uuid, 0))?.state;
  };
}

/**
 * Replays a step.
 * @throws {HttpProblem} 409 if the step cannot be replayed
 */
async function replay(item: NamedItem, row: QuarantinedStep, deps: StepRoutesDeps): Promise<void> {
  // The refresh ensures that an action type which was just registered or changed is known.
  await deps.catalogue.refresh();
  const refusal = whyNotOf(row, deps);
  if (refusal !== null) throw notReplayable(item, refusal);
  const verdict = await deps.steps.replay(item.uuid);
  if (verdict === 'run-ended') throw notReplayable(item, ended);
  if (verdict === 'settled') throw notReplayable(item, 'some of its users are no longer unknown');
}

const ended = 'its run is not active; settle its unknown users instead';

/**
 * Returns the reason why a step cannot be replayed, or null. The statement of the replay checks the parts that may
 * change meanwhile again.
 */
function whyNotOf(row: QuarantinedStep, { catalogue, clock }: StepRoutesDeps): string | null {
  const { state, runState, actionType, feedId } = row;
  if (state !== 'kept') return `it is ${state}`;
  if (!mayBeReplayed(runState)) return ended;
  const type = catalogue.registered()[actionType];
  if (!type) return `the action type ${actionType} is no longer registered`;
  const nowMs = clock.now().getTime();
  return replayRefusal(type, nowMs - feedCreatedMs(feedId, nowMs));
}

function auditOf({ country, batchNo, step, actionType, users, lapses }: QuarantinedStep) {
  return { country, batchNo, step, action: actionType, users, lapses };
}

function notReplayable({ id }: NamedItem, refusal: string): HttpProblem {
  const detail = `${id} cannot be replayed: ${refusal}`;
  return new HttpProblem({ status: 409, code: 'not-replayable', detail });
}
