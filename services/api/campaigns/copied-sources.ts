import type { WrittenCampaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { Warning } from '../../../shared/contracts/warnings.ts';
import { sourcesOf } from '../../../shared/contracts/campaigns/saved-audiences.ts';
import { canonicalJson } from '../../../shared/domain/approval/canonical-hash.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { invalidRequest, quoted, type HttpProblem } from '../frame/http-problem.ts';
import type { Revisions } from '../revisions/revisions.port.ts';
import type { CampaignRecord } from './campaign-store.port.ts';

export interface CopiedSourcesDeps {
  revisions: Pick<Revisions, 'savedAudience'>;
}

type Before = Pick<CampaignRecord, 'definition' | 'about'>;

/**
 * Checks the saved audience that a campaign names as the origin of its sources. A new reference requires the same
 * sources as the saved audience. An existing reference is removed when the sources change.
 * @param before campaign from which this one was made; null if there is none
 * @throws {HttpProblem} 422 if the revision does not exist or has other sources
 */
export async function checkCopiedSources(
  written: WrittenCampaign,
  before: Before | null,
  { revisions }: CopiedSourcesDeps,
): Promise<{ written: WrittenCampaign; warnings: Warning[] }> {
  const { savedAudience: copied, ...rest } = written;
  if (copied === undefined) return { written, warnings: [] };
  const earlier = before?.about.savedAudience;
  if (before && earlier?.id === copied.id && earlier.revision === copied.revision) {
    if (areSame(written, before.definition)) return { written, warnings: [] };
    const detail = `its sources are no longer those of revision ${copied.revision} of ${copied.id}: the reference to it was removed`;
    return { written: rest, warnings: [{ pointer: '/savedAudience', code: 'other-sources', detail }] };
  }
  const savedAudienceId = uuidOf('savedAudience', copied.id);
  const found = savedAudienceId && (await revisions.savedAudience.find(savedAudienceId, copied.revision));
  if (!found)
    throw sourcesProblem(
      'unknown-saved-audience',
      `there is no saved audience ${quoted(copied.id)} with revision ${copied.revision}`,
    );
  if (!areSame(written, found.definition))
    throw sourcesProblem(
      'other-sources',
      `include and exclude have to be those of revision ${copied.revision} of ${copied.id}`,
    );
  return { written, warnings: [] };
}

function areSame(a: Pick<WrittenCampaign, 'audience'>, b: Pick<WrittenCampaign, 'audience'>): boolean {
  return canonicalJson(sourcesOf(a.audience)) === canonicalJson(sourcesOf(b.audience));
}

function sourcesProblem(code: string, detail: string): HttpProblem {
  return invalidRequest([{ pointer: '/savedAudience', code, detail }]);
}
