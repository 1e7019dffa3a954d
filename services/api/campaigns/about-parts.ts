import { z } from 'zod';
import { aboutFields, campaignAbout, type CampaignAbout } from '../../../shared/contracts/campaigns/about-campaign.ts';
import type { CampaignDefinition, WrittenCampaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import { invalidRequest } from '../frame/http-problem.ts';
import { checkShape } from '../frame/server/check-shape.ts';

/** What revisions hold, and what is said about the campaign. Fields that are not given have no place in the second. */
export function partsOf(written: WrittenCampaign): [CampaignDefinition, CampaignAbout] {
  const { description, owner, tags, metadata, savedAudience, ...definition } = written;
  const about = { description, owner, tags, metadata, savedAudience };
  return [definition, campaignAbout.parse(withoutAbsent(about))];
}

/** A patch of what is said about a campaign and of nothing else; undefined where it is of anything else. */
export function aboutPatchOf(patch: unknown): object | undefined {
  const fields = z.record(z.string(), z.unknown()).safeParse(patch).data ?? {};
  const names = Object.keys(fields);
  return names.length > 0 && names.every((name) => Object.hasOwn(aboutFields, name)) ? fields : undefined;
}

/**
 * What is said from now on: fields that are given take the place of those before, null takes one away.
 * @throws {HttpProblem} 422
 */
export function aboutAfter(before: CampaignAbout, patch: object): CampaignAbout {
  const checked = checkShape(campaignAbout, withoutAbsent({ ...before, ...patch }));
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  return checked.value;
}

/** Without fields that are null or undefined. */
export function withoutAbsent(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
