import type { UsersByCountry } from '../../../../shared/domain/approval/user-bounds.ts';
import { statesFor } from '../../../../shared/domain/approval/approval-states.ts';
import type { Clearance } from '../../../../shared/domain/approval/clearance.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { HttpProblem } from '../../frame/http-problem.ts';
import type { Decision } from './approval-desk.port.ts';
import type { ApprovableCampaign } from './approvals.port.ts';

export function approvalNeeded(
  { campaignId, revision, approval }: Pick<ApprovableCampaign, 'campaignId' | 'revision' | 'approval'>,
  { approvers, why }: Extract<Clearance, { kind: 'needed' }>,
  users: UsersByCountry,
): HttpProblem {
  const id = publicId('campaign', campaignId);
  const people = approvers === 1 ? '1 approver' : `${approvers} approvers`;
  const own = approval?.revision === revision ? approval : null;
  const beyond = Object.entries(users).filter(([country, count]) => count > (own?.covers.usersAtMost[country] ?? 0));
  const grown = beyond.map(([country, count]) => `${count.toLocaleString('en-US')} users in ${country} by now`);
  const submitIt = `POST /v1/campaigns/${id}/submit requests it`;
  const standing =
    own?.state === 'waiting'
      ? `it waits for approval, with ${own.given.length} so far`
      : own?.state === 'approved' && grown.length > 0
        ? `its approval does not cover ${grown.join(', ')}; ${submitIt}`
        : submitIt;
  const detail = `${id} needs ${people} (${why.join(', ')}): ${standing}`;
  return new HttpProblem({ status: 409, code: 'approval-needed', detail });
}

export function runNeedsApproval(id: string): HttpProblem {
  const detail = `${id} waits for an approval, and resumes when it is given: GET /v1/approvals?runId=${id}`;
  return new HttpProblem({ status: 409, code: 'approval-needed', detail });
}

type Refused = Exclude<Decision, { kind: 'done' }>;

export function decisionProblem(decided: Refused, id: string): HttpProblem {
  switch (decided.kind) {
    case 'refused':
      return new HttpProblem({ status: 403, code: 'author-approves-not', detail: decided.why });
    case 'other-hash': {
      const detail = `${id} has changed: the waiting submission has the hash ${decided.hash}. Review it, and decide again`;
      return new HttpProblem({ status: 409, code: 'revision-changed', detail });
    }
    case 'changed': {
      const detail = `${id} was changed meanwhile: review it, and submit it again`;
      return new HttpProblem({ status: 409, code: 'revision-changed', detail });
    }
    case 'none-needed': {
      const detail = `no rule of this installation requires an approval of ${id}: start it`;
      return new HttpProblem({ status: 409, code: 'no-approval-needed', detail });
    }
    case 'forbidden': {
      const is = decided.state === null ? 'was never submitted' : `is ${decided.state}`;
      const allowed = statesFor(decided.verb).join(' or ');
      const detail = `the approval of ${id} ${is}; ${decided.verb} needs one that is ${allowed}`;
      return new HttpProblem({ status: 409, code: 'state-forbids', detail });
    }
  }
}
