import type { UsersByCountry } from '../../../../shared/domain/approval/user-bounds.ts';
import { statesFor } from '../../../../shared/domain/approval/approval-states.ts';
import type { Clearance } from '../../../../shared/domain/approval/clearance.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { CampaignRecord } from '../campaign-store.port.ts';
import { HttpProblem } from '../../frame/http-problem.ts';
import type { Decided } from './approval-desk.port.ts';

export function approvalNeeded(
  { campaignId, revision, approval }: CampaignRecord,
  { approvers, why }: Extract<Clearance, { kind: 'needed' }>,
  users: UsersByCountry,
): HttpProblem {
  const id = publicId('campaign', campaignId);
  const people = approvers === 1 ? '1 approver' : `${approvers} approvers`;
  const own = approval?.revision === revision ? approval : null;
  const beyond = Object.entries(users).filter(([country, count]) => count > (own?.covers.usersAtMost[country] ?? 0));
  const grown = beyond.map(([country, count]) => `${count.toLocaleString('en-US')} users in ${country} by now`);
  const submitIt = `POST /v1/campaigns/${id}/submit asks for it`;
  const standing =
    own?.state === 'waiting'
      ? `it waits for approval, and has ${own.given.length}`
      : own?.state === 'approved' && grown.length > 0
        ? `what was approved does not cover ${grown.join(', ')}; ${submitIt}`
        : submitIt;
  const detail = `${id} needs ${people} (${why.join(', ')}): ${standing}`;
  return new HttpProblem({ status: 409, code: 'approval-needed', detail });
}

export function runWaits(id: string): HttpProblem {
  const detail = `${id} waits for an approval, and goes on when that is given: GET /v1/approvals?runId=${id}`;
  return new HttpProblem({ status: 409, code: 'approval-needed', detail });
}

type Refused = Exclude<Decided, { kind: 'done' }>;

export function refusalOf(decided: Refused, id: string): HttpProblem {
  switch (decided.kind) {
    case 'refused':
      return new HttpProblem({ status: 403, code: 'author-approves-not', detail: decided.why });
    case 'other-hash': {
      const detail = `${id} has changed: what waits has the hash ${decided.hash}. Look at it, and decide anew`;
      return new HttpProblem({ status: 409, code: 'revision-changed', detail });
    }
    case 'changed': {
      const detail = `${id} was changed meanwhile: look at it, and submit it anew`;
      return new HttpProblem({ status: 409, code: 'revision-changed', detail });
    }
    case 'none-needed': {
      const detail = `no rule of this installation asks for an approval of ${id}: start it`;
      return new HttpProblem({ status: 409, code: 'no-approval-needed', detail });
    }
    case 'forbidden': {
      const is = decided.state === null ? 'was never submitted' : `is ${decided.state}`;
      const allowed = statesFor(decided.verb).join(' or ');
      const detail = `the approval of ${id} ${is}; ${decided.verb} is for one that is ${allowed}`;
      return new HttpProblem({ status: 409, code: 'state-forbids', detail });
    }
  }
}
