import type { Campaign, CampaignDefinitionInput, Run, RunProgress } from '../../sdk/generated/types.gen.ts';
import type { View } from '../show/paint.ts';
import { endedUsers, expectedAudience } from '../runs/progress.ts';
import { budgetWords } from '../../shared/domain/run/budgets.ts';
import { count, duration, percent } from '../show/numbers.ts';
import { cut, left, renderFacts, renderItems, right } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { localAndUtc, utcTime, zoneOf } from '../show/times.ts';
import { entryText } from '../show/sources.ts';
import { variantLines } from './variant-texts.ts';

/** Renders a line per campaign: its content, number of users, progress of the newest run, and time of the run. */
export function renderCampaigns(
  campaigns: readonly Campaign[],
  progress: readonly (RunProgress | undefined)[],
  view: View,
): string {
  return renderItems(
    campaigns.map((campaign, index) => ({ campaign, run: progress[index] })),
    [
      left('id', ({ campaign }) => campaign.id),
      cut('name', ({ campaign }) => campaign.name),
      left('state', ({ campaign }) => campaign.state.replaceAll('_', ' ')),
      cut('countries', ({ campaign }) => campaign.countries.join(' ')),
      right('audience', ({ run }) => (run ? expectedAudience(run) : '')),
      right('done', ({ run }) => (run ? donePercent(run) : '')),
      left('when', ({ campaign, run }) => whenText(campaign, run)),
    ],
    view,
  );
}

function donePercent(run: RunProgress): string {
  const ended = run.steps.reduce((sum, line) => sum + endedUsers(line), 0);
  return percent(ended, expectedAudience(run) * run.steps.length);
}

function whenText({ nextRunAt, startsAt }: Campaign, run: RunProgress | undefined): string {
  if (nextRunAt !== null) return `due ${utcTime(nextRunAt)}`;
  if (run) return utcTime(run.startedAt ?? run.scheduledFor);
  return startsAt === null ? '' : `would start ${utcTime(startsAt)}`;
}

/**
 * Describes the audience and the actions of a campaign: `segment lapsed-riders in SG, ID get award-reward,
 * send-message`.
 */
export function summaryOf({ audience, countries, chain }: Campaign): string {
  const { include, exclude = [], holdOutPercent = 0 } = audience;
  const who = include.map((entry) => ('segment' in entry ? oneLine(entry.segment) : entryText(entry))).join(', ');
  const without = exclude.length === 0 ? '' : ` without ${exclude.map(entryText).join(', ')}`;
  const held = holdOutPercent === 0 ? '' : ` (${holdOutPercent} % held out)`;
  const what = chain.map(({ action }) => oneLine(action)).join(', then ');
  return `all users of ${who}${without}${held} in ${countries.map(oneLine).join(', ')} get ${what}`;
}

export function renderCampaign(campaign: Campaign, runs: readonly Run[], view: View): string {
  const { paceUsersPerSecond: pace, pauseAtFailedPercent: limit, budgets = [] } = campaign;
  const { id, name, state, revision, audience, countries, chain, deadlineSeconds, priority, createdAt } = campaign;
  const { description, owner, tags = [], metadata = {}, origin, archivedAt } = campaign;
  const { include, exclude = [], holdOutPercent = 0 } = audience;
  const { canary, savedAudience, splitSeed } = campaign;
  const steps = chain.flatMap(({ action, params, variants, unitsPerUser }, index) => [
    `${index + 1} ${action} ${JSON.stringify(params)}${priceText(unitsPerUser)}`,
    ...variantLines(variants),
  ]);
  return renderFacts(
    { name, facts: [id, state.replaceAll('_', ' '), `revision ${revision}`] },
    [
      ['about', description ?? null],
      ['owner', owner ?? null],
      ['tags', tags.length === 0 ? null : tags.join(', ')],
      ['metadata', metadataTexts(metadata)],
      ['who', include.map(entryText)],
      ['without', exclude.map(entryText)],
      ['taken from', savedAudience ? `${savedAudience.id}, revision ${savedAudience.revision}` : null],
      ['held out', holdOutPercent === 0 ? null : `${holdOutPercent} % of them`],
      ['where', countries.join(', ')],
      ['what', steps],
      ['split seed', splitSeed ?? null],
      ['when', [whenLine(campaign), ...(campaign.scheduleId ? [`its schedule is ${campaign.scheduleId}`] : [])]],
      ['deadline', `${duration(deadlineSeconds)} after its start`],
      ['priority', priority],
      ['pace', pace === undefined ? null : `at most ${count(pace)} users/s`],
      ['pauses', limit === undefined ? null : `above ${limit} % failed users in a step`],
      ['canary', canary === undefined ? null : canaryText(canary)],
      ['budget', budgets.map((each) => `${each.country}: ${budgetWords(each)}`)],
      ['created', utcTime(createdAt)],
      ['made from', origin && originText(origin)],
      ['archived', archivedAt === null ? null : utcTime(archivedAt)],
      ['runs', runs.length === 0 ? 'none yet' : runs.map(runLine)],
    ],
    view,
  );
}

export function canaryText({
  users,
  percent,
  then,
  maxFailedPercent,
}: NonNullable<CampaignDefinitionInput['canary']>): string {
  if (then === 'choose-variant')
    return `the variants for ${percent ?? 0} % of each country, then a pause until you choose one for all others`;
  const first = users === undefined ? `the first ${percent ?? 0} % of each country` : `the first ${count(users)} users`;
  return maxFailedPercent === undefined
    ? `${first}, then a pause`
    : `${first}, then a pause where more than ${maxFailedPercent} % of them failed`;
}

export function metadataTexts(metadata: Readonly<Record<string, string>>): string[] {
  return Object.entries(metadata).map(([key, value]) => `${key}=${oneLine(value)}`);
}

/** Formats `copy of cmp_1, revision 3`; for a template, with the values of its variables. */
function originText(origin: NonNullable<Campaign['origin']>): string {
  if ('campaignId' in origin) return `copy of ${origin.campaignId}, revision ${origin.revision}`;
  const values = Object.entries(origin.variables).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [`${origin.templateId}, revision ${origin.revision}`, ...values].join(', ');
}

function priceText(unitsPerUser: number | undefined): string {
  return unitsPerUser === undefined ? '' : ` (${count(unitsPerUser)} ${unitsPerUser === 1 ? 'unit' : 'units'} each)`;
}

/** Formats `each 0 9 * * MON Asia/Singapore, `; empty without a recurrence. */
function rhythmText({ schedule }: Campaign): string {
  if (schedule.type !== 'recurring') return '';
  const { cron, everySeconds, zone } = schedule;
  return cron === undefined ? `every ${everySeconds ?? 0} s, ` : `each ${cron} ${zone}, `;
}

function whenLine(campaign: Campaign): string {
  const { nextRunAt, startsAt } = campaign;
  const rhythm = rhythmText(campaign);
  if (nextRunAt !== null) return `${rhythm}due ${localAndUtc(nextRunAt, zoneOf(campaign))}`;
  if (rhythm !== '') return `${rhythm}nothing is due`;
  return startsAt === null ? 'as soon as it is started' : localAndUtc(startsAt, zoneOf(campaign));
}

export function draftText(campaign: Campaign): string {
  const rhythm = rhythmText(campaign);
  if (rhythm !== '') return `a draft; once started it runs ${rhythm}until it is ended. To start it`;
  if (campaign.startsAt === null) return 'a draft; to start it now';
  return `a draft; once started it waits until ${localAndUtc(campaign.startsAt, zoneOf(campaign))}`;
}

export function startText(campaign: Campaign): string {
  const rhythm = rhythmText(campaign);
  if (rhythm !== '') return `${rhythm}until it is ended`;
  return campaign.startsAt === null ? 'starts at once' : `starts ${localAndUtc(campaign.startsAt, zoneOf(campaign))}`;
}

function runLine({ runId, state, stateReason, startedAt, scheduledFor }: Run): string {
  const why = stateReason === null ? '' : `: ${stateReason}`;
  return `${runId} ${utcTime(startedAt ?? scheduledFor)} ${state.replaceAll('_', ' ')}${why}`;
}

export function warningsOf({ warnings }: { warnings: readonly { detail: string }[] }): string[] {
  return warnings.map(({ detail }) => `! ${detail}`);
}
