import {
  approveCampaign,
  getApproval,
  getApprovalPolicy,
  listApprovals,
  sendBackCampaign,
  setApprovalPolicy,
  submitCampaign,
  withdrawCampaign,
} from '../../sdk/generated/sdk.gen.ts';
import type { ApprovalPolicyRulesInput } from '../../sdk/generated/types.gen.ts';
import { z } from 'zod';
import { approvalStates } from '../../shared/domain/approval/approval-states.ts';
import { writeData } from '../frame/command-context.ts';
import { apiOf, byHand, command, group, viewOf, worded } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { budgetsOf } from '../campaigns/budget-texts.ts';
import { canAsk, isConfirmed } from '../frame/confirm.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { fieldsFile, readFields, yes } from '../frame/given.ts';
import { needed, oneOf, pages, several, text } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { tableOf } from '../show/tables.ts';
import { approvalColumns, coverText, renderApproval, ruleColumns, approvalStateText } from './render.ts';

const list = command({
  name: 'list',
  description: 'list waiting approvals, newest first; with --state also decided ones',
  options: {
    state: oneOf('--state <state>', 'only those', approvalStates),
    campaignId: text('--campaign <id>', 'only of this campaign'),
    ...pages(50, 1000),
  },
  ask: ({ client, options: { state = 'waiting', ...query } }) => listApprovals({ client, query: { state, ...query } }),
  render: tableOf('nothing', approvalColumns),
});

const show = command({
  name: 'show',
  args: ['<approval>'],
  description: 'show what an approval covers, the difference from the previous approval, and the votes',
  ask: ({ client, args: [id] }) => getApproval({ client, path: { id } }),
  render: renderApproval,
});

const submit = command({
  name: 'submit',
  args: ['<campaign>'],
  description: 'submit a campaign for approval',
  options: {
    users: several('--users <SG=50000>', 'maximum users in a country; by default five percent more than expected'),
    budget: several('--budget <SG=5000>', 'for a started campaign: the budget after the approval; repeatable'),
  },
  ask: ({ client, args: [id], options: { users, budget } }) => {
    const body = { ...(users && { usersAtMost: usersOf(users) }), ...(budget && { budgets: budgetsOf(budget) }) };
    return submitCampaign({ client, path: { id }, body });
  },
  refused: 'not submitted',
  render: (approval) => `${approval.id} ${approvalStateText(approval)}: ${coverText(approval)}\n`,
});

/** Approves exactly the content that was displayed. */
const approve = byHand({
  name: 'approve',
  args: ['<approval>'],
  description: 'approve a campaign or a run of another person; on a terminal, shows it and requests a confirmation',
  options: { comment: text('--comment <text>', 'comment for the next approver'), ...yes },
  run: async ({ args: [id], options: { comment, yes: isSure }, context }) => {
    const client = await apiOf(context);
    const { data: seen } = await getApproval({ client, path: { id } });
    if (!isSure && canAsk(context)) {
      context.terminal.note(renderApproval(seen, viewOf(context)));
      if (!(await isConfirmed(`approve ${coverText(seen)}?`, context))) {
        context.terminal.note('not approved\n');
        return exitCodes.failure;
      }
    }
    const body = { hash: seen.hash, ...(comment !== undefined && { comment }) };
    const path = { id: seen.campaignId };
    const { data } = await worded({ outcome: 'not approved' }, () => approveCampaign({ client, path, body }));
    writeData(context, data, () => `${data.id} ${approvalStateText(data)}\n`);
    return exitCodes.ok;
  },
});

const sendBack = command({
  name: 'send-back',
  args: ['<approval>'],
  description: 'send an approval back to its author with a comment, even after it was given',
  options: { comment: needed('--comment <text>', 'what is missing or wrong') },
  ask: async ({ client, args: [id], options: { comment } }) => {
    const { data: seen } = await getApproval({ client, path: { id } });
    return sendBackCampaign({ client, path: { id: seen.campaignId }, body: { hash: seen.hash, comment } });
  },
  refused: 'not sent back',
  render: ({ id, state }) => `${id} ${state}\n`,
});

const withdraw = command({
  name: 'withdraw',
  args: ['<campaign>'],
  description: 'withdraw the submission of a campaign',
  ask: ({ client, args: [id] }) => withdrawCampaign({ client, path: { id } }),
  refused: 'not withdrawn',
  render: ({ id, state }) => `${id} ${state}\n`,
});

const policy = command({
  name: 'policy',
  description: 'show the approval policy; with --file, replace it',
  options: fieldsFile,
  ask: async ({ client, options: { file }, context: { input } }) => {
    if (file === undefined) return getApprovalPolicy({ client });
    const body = await readFields({ words: [], file, input }, z.custom<ApprovalPolicyRulesInput>());
    return setApprovalPolicy({ client, body });
  },
  refused: 'not changed',
  render: ({ rules }, view) => tableOf('no rules: nothing is asked for', ruleColumns)({ items: rules }, view),
});

function usersOf(texts: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    texts.map((each) => {
      const [, country = '', users = ''] = /^([A-Z]{2})=(\d+)$/.exec(each) ?? [];
      if (country === '') throw new UsageError(`--users takes a country and a number, such as SG=50000, not ${each}`);
      return [country, Number(users)];
    }),
  );
}

export const heading: Heading = 'Campaigns';

export const commands = group('approvals', 'the approval policy, and approvals of campaigns and runs', [
  ...[list, show, submit, approve, sendBack, withdraw, policy],
]);
