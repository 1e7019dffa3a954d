/**
 * Summary states of a campaign in a list, in the order of interest. The first rule that applies decides.
 * - `paused`, `running`: a run has not ended.
 * - `archived`: the campaign is archived, and no run is planned or in progress.
 * - `draft`: the campaign is a draft.
 * - `scheduled`: a run is planned.
 * - `ended`: all other campaigns.
 */
export const campaignStandings = ['running', 'paused', 'scheduled', 'ended', 'draft', 'archived'] as const;

export type CampaignStanding = (typeof campaignStandings)[number];

/**
 * Filters of a list. `needs-attention`: the campaign's run waits for a person to fix a problem, paused itself, or
 * failed to start in the last seven days.
 */
export const campaignChoices = ['needs-attention', ...campaignStandings] as const;

export type CampaignChoice = (typeof campaignChoices)[number];

/**
 * Orders of a list. `newest`: newest first. `state`: campaigns that need attention, then running, paused, scheduled (by
 * time), ended, drafts; newest first within a state. `next`: planned campaigns by time, then the rest. `name`: by name.
 */
export const campaignOrders = ['newest', 'state', 'next', 'name'] as const;

export type CampaignOrder = (typeof campaignOrders)[number];
