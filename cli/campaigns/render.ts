import type { RunProgress, RunSummary } from '../../shared/contracts/runs/runs.ts';
import type { Campaign } from '../api/api-answers.ts';
import { count, duration, percent } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { endedUsers, expectedAudience } from '../runs/progress.ts';
import { entryText } from './sources.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { localAndUtc, utcTime } from '../show/times.ts';

/** A line per campaign: what it is, how many users it has, how far its newest run is, and when that was or will be. */
export function renderCampaigns(
  campaigns: readonly Campaign[],
  progress: readonly (RunProgress | undefined)[],
  paint: Paint,
  width = Infinity,
): string {
  const left = (title: string): Column => ({ title, align: 'left' });
  const columns: Column[] = [
    left('id'),
    { ...left('name'), cut: true },
    left('state'),
    { ...left('countries'), cut: true },
    { title: 'audience', align: 'right' },
    { title: 'done', align: 'right' },
    left('when'),
  ];
  const rows = campaigns.map((campaign, index) => {
    const run = progress[index];
    return [
      campaign.id,
      oneLine(campaign.name),
      campaign.state.replaceAll('_', ' '),
      campaign.countries.map(oneLine).join(' '),
      run ? count(expectedAudience(run)) : '',
      run ? donePercent(run) : '',
      whenText(campaign, run),
    ];
  });
  return renderTable(columns, rows, paint, width);
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

/** `segment lapsed-riders in SG, ID get award-reward, send-message`: what a start would do. */
export function summaryOf({ audience, countries, chain }: Campaign): string {
  const who = audience.include
    .map((entry) => ('segment' in entry ? oneLine(entry.segment) : entryText(entry)))
    .join(', ');
  const without = audience.exclude.length === 0 ? '' : ` without ${audience.exclude.map(entryText).join(', ')}`;
  const held = audience.holdOutPercent === 0 ? '' : ` (${audience.holdOutPercent} % held out)`;
  const what = chain.map(({ action }) => oneLine(action)).join(', then ');
  return `all users of ${who}${without}${held} in ${countries.map(oneLine).join(', ')} get ${what}`;
}

/** All there is to a campaign, one line for each part. */
export function renderCampaign(campaign: Campaign, runs: readonly RunSummary[], paint: Paint): string {
  const { paceUsersPerSecond: pace, pauseAtFailedPercent: percent, budgets } = campaign;
  const { id, name, state, revision, audience, countries, chain, deadlineSeconds, priority, createdAt } = campaign;
  const parts: [string, readonly string[]][] = [
    ['who', audience.include.map(entryText)],
    ['without', audience.exclude.map(entryText)],
    ['held out', audience.holdOutPercent === 0 ? [] : [`${audience.holdOutPercent} % of them`]],
    ['where', [countries.map(oneLine).join(', ')]],
    [
      'what',
      chain.map(
        ({ action, params, unitsPerUser }, index) =>
          `${index + 1} ${oneLine(action)} ${oneLine(JSON.stringify(params ?? {}))}${priceText(unitsPerUser)}`,
      ),
    ],
    ['when', [whenLine(campaign), ...(campaign.scheduleId === null ? [] : [`its schedule is ${campaign.scheduleId}`])]],
    ['deadline', deadlineSeconds === undefined ? [] : [`${duration(deadlineSeconds)} after its start`]],
    ['priority', priority === undefined ? [] : [oneLine(priority)]],
    ['pace', pace === undefined ? [] : [`at most ${count(pace)} users/s`]],
    ['pauses', percent === undefined ? [] : [`above ${percent} % failed users in a step`]],
    ['budget', budgets.map(({ country, units }) => `${oneLine(country)}: ${count(units)} units`)],
    ['created', createdAt === undefined ? [] : [utcTime(createdAt)]],
    ['runs', runs.length === 0 ? ['none yet'] : runs.map(runLine)],
  ];
  const width = Math.max(...parts.map(([title, texts]) => (texts.length === 0 ? 0 : title.length)));
  const lines = parts.flatMap(([title, texts]) =>
    texts.map((text, index) => `  ${paint.faint((index === 0 ? title : '').padEnd(width))}  ${text}\n`),
  );
  const facts = `${id} · ${state.replaceAll('_', ' ')} · revision ${revision}`;
  return `  ${paint.strong(oneLine(name))}\n  ${paint.faint(facts)}\n\n${lines.join('')}`;
}

function priceText(unitsPerUser: number | undefined): string {
  return unitsPerUser === undefined ? '' : ` (${count(unitsPerUser)} ${unitsPerUser === 1 ? 'unit' : 'units'} each)`;
}

/** `each 0 9 * * MON Asia/Singapore, `; nothing where it does not recur. */
export function rhythmText(schedule: Campaign['schedule']): string {
  if (schedule?.type !== 'recurring') return '';
  const { cron, everySeconds, zone = 'UTC' } = schedule;
  return cron === undefined ? `every ${everySeconds ?? 0} s, ` : `each ${oneLine(cron)} ${oneLine(zone)}, `;
}

function whenLine({ nextRunAt, startsAt, schedule }: Campaign): string {
  const rhythm = rhythmText(schedule);
  if (nextRunAt !== null) return `${rhythm}due ${localAndUtc(nextRunAt, schedule?.zone)}`;
  if (rhythm !== '') return `${rhythm}nothing is due`;
  return startsAt === null ? 'as soon as it is started' : localAndUtc(startsAt, schedule?.zone);
}

function runLine({ runId, state, stateReason, startedAt, scheduledFor }: RunSummary): string {
  const why = stateReason === null ? '' : `: ${oneLine(stateReason)}`;
  return `${runId} ${utcTime(startedAt ?? scheduledFor)} ${state.replaceAll('_', ' ')}${why}`;
}
