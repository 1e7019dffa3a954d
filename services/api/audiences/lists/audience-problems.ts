import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { HttpProblem, quoted } from '../../frame/http-problem.ts';

export function inUse(id: string, campaignId: string): HttpProblem {
  const campaign = publicId('campaign', campaignId);
  const detail = `${id} is named by ${campaign}, which is scheduled or runs; it can be deleted once that has ended`;
  return new HttpProblem({ status: 409, code: 'audience-in-use', detail });
}

export function savedIn(id: string, { savedAudienceId, name }: { savedAudienceId: string; name: string }): HttpProblem {
  const saved = `${publicId('savedAudience', savedAudienceId)} (${quoted(name)})`;
  const detail = `${id} is named by the saved audience ${saved}; it can be deleted once that is changed or deleted`;
  return new HttpProblem({ status: 409, code: 'audience-in-use', detail });
}
