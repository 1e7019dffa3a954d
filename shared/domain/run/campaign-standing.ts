/**
 * Where a campaign stands, for a list: `running` and `paused` while a run of it has not ended; then `archived` where it
 * was put away and no run is planned; then `draft`, or `scheduled` while a run is planned; `ended` otherwise. In the
 * order in which they are of interest.
 */
export const campaignStandings = ['running', 'paused', 'scheduled', 'ended', 'draft', 'archived'] as const;

export type CampaignStanding = (typeof campaignStandings)[number];

/**
 * `needs-attention`: its run waits for what a person has to mend, paused itself, or could not be carried out in the
 * last seven days.
 */
export const campaignChoices = ['needs-attention', ...campaignStandings] as const;

export type CampaignChoice = (typeof campaignChoices)[number];

/**
 * `newest`; `state`: what needs attention, then what runs, is paused, is scheduled in the order of time, has ended, is
 * a draft, else the newest first; `next`: what is planned in the order of time, then the rest; `name`.
 */
export const campaignOrders = ['newest', 'state', 'next', 'name'] as const;

export type CampaignOrder = (typeof campaignOrders)[number];
