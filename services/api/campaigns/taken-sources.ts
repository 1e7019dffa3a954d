import type { WrittenCampaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { Warning } from '../../../shared/contracts/warnings.ts';
import { sourcesOf } from '../../../shared/contracts/campaigns/saved-audiences.ts';
import { canonicalJson } from '../../../shared/domain/approval/canonical-hash.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { invalidRequest, quoted, type HttpProblem } from '../frame/http-problem.ts';
import type { Revisions } from '../revisions/revisions.port.ts';
import type { CampaignRecord } from './campaign-store.port.ts';

export interface TakenSourcesDeps {
  revisions: Pick<Revisions, 'savedAudience'>;
}

type Before = Pick<CampaignRecord, 'definition' | 'about'>;

/**
 * Checks the saved audience that a campaign names as the origin of its sources. A new origin needs the same sources. An
 * existing origin is removed when the sources change.
 * @param before the campaign that this one was made from; null: none
 * @throws {HttpProblem} 422 if the revision does not exist, or has other sources
 */
export async function checkTaken(
  written: WrittenCampaign,
  before: Before | null,
  { revisions }: TakenSourcesDeps,
): Promise<{ written: WrittenCampaign; warnings: Warning[] }> {
  const { savedAudience: taken, ...rest } = written;
  if (taken === undefined) return { written, warnings: [] };
  const said = before?.about.savedAudience;
  if (before && said?.id === taken.id && said.revision === taken.revision) {
    if (areSame(written, before.definition)) return { written, warnings: [] };
    const detail = `its sources are no longer those of revision ${taken.revision} of ${taken.id}: it does not say any more that it took them`;
    return { written: rest, warnings: [{ pointer: '/savedAudience', code: 'other-sources', detail }] };
  }
  const savedAudienceId = uuidOf('savedAudience', taken.id);
  const found = savedAudienceId && (await revisions.savedAudience.find(savedAudienceId, taken.revision));
  if (!found)
    throw wrong(
      'unknown-saved-audience',
      `there is no saved audience ${quoted(taken.id)} with revision ${taken.revision}`,
    );
  if (!areSame(written, found.definition))
    throw wrong('other-sources', `include and exclude have to be those of revision ${taken.revision} of ${taken.id}`);
  return { written, warnings: [] };
}

function areSame(a: Pick<WrittenCampaign, 'audience'>, b: Pick<WrittenCampaign, 'audience'>): boolean {
  return canonicalJson(sourcesOf(a.audience)) === canonicalJson(sourcesOf(b.audience));
}

function wrong(code: string, detail: string): HttpProblem {
  return invalidRequest([{ pointer: '/savedAudience', code, detail }]);
}
