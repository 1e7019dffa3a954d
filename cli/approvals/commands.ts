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
import { approvalColumns, coverText, renderApproval, ruleColumns, standingText } from './render.ts';

const list = command({
  name: 'list',
  description: 'what waits for an approval, newest first; with --state, what became of others',
  options: {
    state: oneOf('--state <state>', 'only those', approvalStates),
    campaignId: text('--campaign <id>', 'only those of it'),
    ...pages(50, 1000),
  },
  ask: ({ client, options: { state = 'waiting', ...query } }) => listApprovals({ client, query: { state, ...query } }),
  render: tableOf('nothing', approvalColumns),
});

const show = command({
  name: 'show',
  args: ['<approval>'],
  description: 'what it covers, what differs from what was approved before, and who has approved it',
  ask: ({ client, args: [id] }) => getApproval({ client, path: { id } }),
  render: renderApproval,
});

const submit = command({
  name: 'submit',
  args: ['<campaign>'],
  description: 'ask for its approval as it is',
  options: {
    users: several('--users <SG=50000>', 'so many at most in a country; five percent more than expected'),
    budget: several('--budget <SG=5000>', 'of one that was started: raised so far once that is approved; repeatable'),
  },
  ask: ({ client, args: [id], options: { users, budget } }) => {
    const body = { ...(users && { usersAtMost: usersOf(users) }), ...(budget && { budgets: budgetsOf(budget) }) };
    return submitCampaign({ client, path: { id }, body });
  },
  refused: 'not submitted',
  render: (approval) => `${approval.id} ${standingText(approval)}: ${coverText(approval)}\n`,
});

/** Approves exactly the content that was displayed. */
const approve = byHand({
  name: 'approve',
  args: ['<approval>'],
  description: 'approve what another has written; shows it and asks first where a person can answer',
  options: { word: text('--word <text>', 'for whoever approves after'), ...yes },
  run: async ({ args: [id], options: { word, yes: isSure }, context }) => {
    const client = await apiOf(context);
    const { data: seen } = await getApproval({ client, path: { id } });
    if (!isSure && canAsk(context)) {
      context.terminal.note(renderApproval(seen, viewOf(context)));
      if (!(await isConfirmed(`approve ${coverText(seen)}?`, context))) {
        context.terminal.note('not approved\n');
        return exitCodes.failure;
      }
    }
    const body = { hash: seen.hash, ...(word !== undefined && { word }) };
    const path = { id: seen.campaignId };
    const { data } = await worded({ outcome: 'not approved' }, () => approveCampaign({ client, path, body }));
    writeData(context, data, () => `${data.id} ${standingText(data)}\n`);
    return exitCodes.ok;
  },
});

const sendBack = command({
  name: 'send-back',
  args: ['<approval>'],
  description: 'send it back to its author with a word; also what was approved',
  options: { word: needed('--word <text>', 'what is missing or wrong') },
  ask: async ({ client, args: [id], options: { word } }) => {
    const { data: seen } = await getApproval({ client, path: { id } });
    return sendBackCampaign({ client, path: { id: seen.campaignId }, body: { hash: seen.hash, word } });
  },
  refused: 'not sent back',
  render: ({ id, state }) => `${id} ${state}\n`,
});

const withdraw = command({
  name: 'withdraw',
  args: ['<campaign>'],
  description: 'take back what was submitted of it',
  ask: ({ client, args: [id] }) => withdrawCampaign({ client, path: { id } }),
  refused: 'not withdrawn',
  render: ({ id, state }) => `${id} ${state}\n`,
});

const policy = command({
  name: 'policy',
  description: 'from which size on who has to approve what; with --file, what it is from now on',
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

export const commands = group('approvals', 'who has to approve what before it runs, and who has', [
  ...[list, show, submit, approve, sendBack, withdraw, policy],
]);
