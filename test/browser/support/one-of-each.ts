import {
  changeCampaign,
  changeTemplate,
  createCampaignOfTemplate,
  createClient,
  createClientEndpoint,
  createJob,
  changeAudience,
  createAudience,
  createSchedule,
  createTemplate,
  createNotification,
  setApprovalPolicy,
  setCaps,
  setQuietHours,
  startTrial,
  suppressUsers,
} from '../../../sdk/generated/sdk.gen.ts';
import type { MusterApi } from '../../e2e/muster-api.ts';

/** Adds a job that waits for its due time, and a schedule. */
export async function addJob({ client }: MusterApi): Promise<string> {
  await createClient({ client, body: { name: 'shop' } });
  const target = { client: 'shop', url: 'https://shop.example.com/close' };
  const zone = 'Europe/Berlin';
  await createSchedule({ client, body: { name: 'Close the day', target, cron: '30 2 * * *', zone } });
  const endpoint = { name: 'billing', url: 'https://billing.example.com/hooks', concurrency: 5 };
  await createClientEndpoint({ client, path: { id: 'shop' }, body: endpoint });
  const job = { client: 'shop', url: 'https://shop.example.com/remind', delaySeconds: 86_400, tags: ['cart'] };
  return (await createJob({ client, body: job })).data.id;
}

/** Saves an audience with two revisions. */
export async function saveAudience({ client }: MusterApi): Promise<string> {
  const audience = { include: [{ segment: 'lapsed-riders' }] };
  const body = { name: 'Lapsed riders, saved', owner: 'growth', countries: ['SG'], audience };
  const { id } = (await createAudience({ client, body })).data;
  await changeAudience({ client, path: { id }, body: { description: 'For December' } });
  return id;
}

/** Adds quiet hours, caps, suppressed users and a notification with a digest. */
export async function addRules({ client }: MusterApi): Promise<void> {
  const rule = { countries: ['ID'], from: '21:00', until: '08:00' };
  const waiting = { ...rule, actionType: 'send-message', then: 'wait' } as const;
  await setQuietHours({ client, body: { rules: [waiting, { ...rule, actionType: '*', then: 'drop' }] } });
  const weekly = { name: 'weekly-messages', actionTypes: ['send-message'], effects: 1000, days: 7 };
  await setCaps({ client, body: { caps: [weekly, { ...weekly, name: 'daily', days: 1, counting: 'calendar' }] } });
  const approval = { countries: ['ID'], usersAbove: 1_000_000_000, amountAbove: '20000.00', approvers: 2 };
  await setApprovalPolicy({ client, body: { rules: [approval] } });
  const people = { actionType: 'send-message', users: ['u-1029', 'u-3380'], note: 'asked to by phone' };
  await suppressUsers({ client, body: people });
  const digest = { every: 'day', at: '09:00', zone: 'Asia/Singapore' } as const;
  await createNotification({
    client,
    body: { url: 'https://hooks.example.com/muster', events: ['run.ended'], digest },
  });
}

/**
 * Creates a template with two revisions, a draft with two revisions from the template, and a test send of the first
 * revision.
 */
export async function addTestedDraft(api: MusterApi): Promise<[draftId: string, testId: string]> {
  const { client } = api;
  const campaign = {
    countries: ['SG'],
    audience: { include: [{ segment: 'lapsed-riders' }] },
    chain: [{ action: 'award-reward', params: { rewardId: { $variable: 'reward' } } }],
  };
  const variables = { reward: { type: 'string', default: 'ride-5' } } as const;
  const template = await createTemplate({ client, body: { name: 'Payday', variables, campaign } });
  const path = { id: template.data.id };
  const { id } = (await createCampaignOfTemplate({ client, path, body: { name: 'Payday top-up, December' } })).data;
  const users = ['u-10077214', 'u-20551180'];
  const { run } = (await startTrial({ client, path: { id }, body: { kind: 'test', users, country: 'SG' } })).data;
  const testId = run?.runId ?? '';
  await api.awaitEnd(testId);
  await changeCampaign({ client, path: { id }, body: { priority: 'low' } });
  await changeTemplate({ client, path, body: { campaign: { ...campaign, tags: ['payday'] } } });
  return [id, testId];
}
