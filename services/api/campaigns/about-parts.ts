import { z } from 'zod';
import { aboutFields, campaignAbout, type CampaignAbout } from '../../../shared/contracts/campaigns/about-campaign.ts';
import type { CampaignDefinition, WrittenCampaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import { invalidRequest } from '../frame/http-problem.ts';
import { checkShape } from '../frame/server/check-shape.ts';

/** Splits a campaign into the definition, which revisions store, and the description without its absent fields. */
export function splitCampaign(written: WrittenCampaign): [CampaignDefinition, CampaignAbout] {
  const { description, owner, tags, metadata, savedAudience, ...definition } = written;
  const about = { description, owner, tags, metadata, savedAudience };
  return [definition, campaignAbout.parse(withoutAbsent(about))];
}

/** Returns the patch if it changes only the description; undefined if it contains any other field. */
export function aboutPatchOf(patch: unknown): object | undefined {
  const fields = z.record(z.string(), z.unknown()).safeParse(patch).data ?? {};
  const names = Object.keys(fields);
  return names.length > 0 && names.every((name) => Object.hasOwn(aboutFields, name)) ? fields : undefined;
}

/**
 * Applies a patch to the description. A field of null is removed.
 * @throws {HttpProblem} 422 if the result is invalid
 */
export function patchAbout(before: CampaignAbout, patch: object): CampaignAbout {
  const checked = checkShape(campaignAbout, withoutAbsent({ ...before, ...patch }));
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  return checked.value;
}

/** Returns the object without fields that are null or undefined. */
export function withoutAbsent(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
