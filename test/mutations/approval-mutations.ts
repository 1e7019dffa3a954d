import type { Mutation } from './mutation.ts';

const api = 'services/api/campaigns/approvals/approvals';
const runs = 'services/trigger/prepare/run-approvals';
const sums = 'services/trigger/prepare/approval-sums';
const raises = 'services/trigger/prepare/approval-raises';

export const approvalMutations: readonly Mutation[] = [
  {
    takesAway: 'approvals: an author does not approve',
    edits: [
      {
        text: 'if (authors.some((author) => isSamePerson(author, voter)))',
        replacement: 'if (authors.length < 0)',
      },
      // Each of these checks refuses an author too, because an author is behind the keys of the same person.
      {
        text: 'if (authors.some((author) => isOrigin(author, voter)))',
        replacement: 'if (authors.length < 0)',
      },
      {
        text: 'if (authors.some((author) => isOrigin(voter, author)))',
        replacement: 'if (authors.length < 0)',
      },
    ],
    project: 'integration',
    noticedBy: [api],
  },
  {
    takesAway: 'approvals: keys of one owner are one person',
    edits: [
      {
        text: 'select count(distinct v.person)::int from approval_votes',
        replacement: 'select count(*)::int from approval_votes',
      },
      {
        text: 'if (!hasApproved(voter, { voters, approversSignIn }))',
        replacement: 'if (!hasApproved(voter, { voters: [], approversSignIn }))',
      },
    ],
    project: 'integration',
    noticedBy: [api],
  },
  {
    takesAway: 'approvals: a key that the author made does not approve',
    edits: [{ text: 'if (authors.some((author) => isOrigin(author, voter)))', replacement: 'if (authors.length < 0)' }],
    project: 'integration',
    noticedBy: ['services/api/campaigns/approvals/independent-votes'],
  },
  {
    takesAway: 'approvals: whoever gives a key a secret is behind it',
    edits: [
      {
        text: "last_refused_from = null, changed_by = ${changedBy($('by'))}",
        replacement: "last_refused_from = case when ${$('by')}::uuid is null then null end",
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/campaigns/approvals/independent-votes'],
  },
  {
    takesAway: 'approvals: a change voids one',
    edits: [
      { text: 'if (hashOfCovers(now, null) === hash) await', replacement: "if (hashOfCovers(now, null) !== '') await" },
    ],
    project: 'integration',
    noticedBy: [api],
  },
  {
    takesAway: 'approvals: only what has the hash that was seen is approved',
    edits: [
      {
        text: 'from approvals a where a.campaign = $1 and a.hash = $2 order by',
        replacement: 'from approvals a where a.campaign = $1 and a.hash <= $2 || $2 order by',
      },
    ],
    project: 'integration',
    noticedBy: [api],
  },
  {
    takesAway: 'approvals: the policy asks above its numbers',
    edits: [
      {
        text: 'isBelow: (size) => size[of] > above,',
        replacement: 'isBelow: (size) => size[of] > above * 1.1,',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/domain/approval/approval-policy'],
  },
  {
    takesAway: 'approvals: the start of a campaign is refused by its row',
    edits: [
      {
        text: "\n      and is_start_allowed(id, revision, ${$('policy')}, ${$('approvalId')})",
        replacement: "\n      and (${$('policy')}::int, ${$('approvalId')}::uuid) is not null",
      },
    ],
    project: 'integration',
    noticedBy: [api],
  },
  {
    takesAway: 'approvals: the start of what recurs is refused by its row',
    edits: [
      {
        text: ' and is_start_allowed(id, revision, $2, $3)\n  returning name',
        replacement: ' and ($2::int is null or $3::uuid is null or true)\n  returning name',
      },
    ],
    project: 'integration',
    noticedBy: [api],
  },
  {
    takesAway: 'approvals: the beginning of a run is refused by its row',
    edits: [
      {
        text: "(kind = 'dry-run' or is_start_allowed(campaign, revision, ${$('policy')}, ${$('approval')}))",
        replacement: "(${$('policy')}::int is null or ${$('approval')}::uuid is null or true)",
      },
    ],
    project: 'integration',
    noticedBy: [runs],
  },
  {
    takesAway: 'approvals: the beginning of a run of failed users is refused by its row',
    edits: [
      {
        text: '\n    and is_start_allowed(campaign, revision, $2, $3) for update',
        replacement: ' and ($2::int is null or $3::uuid is null or true) for update',
      },
    ],
    project: 'integration',
    noticedBy: [runs],
  },
  {
    takesAway: 'approvals: a feed asks before it has more users than its bound',
    edits: [
      {
        text: 'if (feed.usersAtMost !== null && fedUsers + more > feed.usersAtMost) {',
        replacement: 'if (feed.usersAtMost === -1) {',
      },
    ],
    project: 'unit',
    noticedBy: ['services/trigger/feed/feeding-bounds'],
  },
  {
    takesAway: 'approvals: the row of a feed holds no user more than its bound',
    edits: [{ text: 'check (max_users is null or fed_users <= max_users)', replacement: 'check (true)' }],
    project: 'integration',
    noticedBy: [runs],
  },
  {
    takesAway: 'approvals: a run beside its schedule is not covered by it',
    edits: [
      {
        text: 'isInForce: one.isInForce && (one.isOfRun || !isByHand) }));',
        replacement: "isInForce: one.isInForce && (one.isOfRun || typeof isByHand === 'boolean') }));",
      },
    ],
    project: 'integration',
    noticedBy: [runs],
  },
  {
    takesAway: 'approvals: a person who pauses a run that waits stops it',
    edits: [
      {
        text: 'const resumesAutomatically = isWaitingForApproval(run.stateReason) || isWaitingAfterCanary(run.stateReason);',
        replacement:
          'const resumesAutomatically = isWaitingForApproval(null) || isWaitingAfterCanary(run.stateReason);',
      },
    ],
    project: 'integration',
    noticedBy: [runs],
  },
  {
    takesAway: 'approvals: a run that waits for one is not resumed',
    edits: [
      {
        text: "if (verb === 'resume' && (await approvals.isRunWaiting(runId))) throw runNeedsApproval(id);",
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: [runs],
  },
  {
    takesAway: 'approvals: an approved budget is a bound by itself',
    edits: [
      {
        text: 'if (approved === null || need.approvers >= approved.approvers) return need;',
        replacement: 'if (approved === null || need.approvers >= 0) return need;',
      },
    ],
    project: 'unit',
    noticedBy: ['raised-budgets'],
  },
  {
    takesAway: 'approvals: beyond what was approved needs as many approvers',
    edits: [
      {
        text: 'const approvedBy = within ? 0 : Math.max(',
        replacement: 'const approvedBy = within ? 0 : Math.min(',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/domain/approval/user-bounds'],
  },
  {
    takesAway: 'approvals: one that is no longer in force still bounds what begins',
    edits: [
      {
        text: "where a.campaign = ${$('campaignId')} and a.approved_at is not null",
        replacement: "where a.campaign = ${$('campaignId')} and a.state = 'approved'",
      },
    ],
    project: 'integration',
    noticedBy: ['services/api/campaigns/approvals/approved-bounds'],
  },
  {
    takesAway: 'approvals: starts are judged one at a time',
    edits: [
      {
        text: "client.query('select from unapproved_starts_lock for update')",
        replacement: "client.query('select from unapproved_starts_lock')",
      },
    ],
    project: 'integration',
    noticedBy: [sums],
  },
  {
    takesAway: 'approvals: a run is judged by budgets that were raised while it waited for the lock of the sums',
    edits: [
      {
        text: 'const atTurn = { ...judged, ...(await readTerms(client, run)) };',
        replacement: 'const atTurn = judged;',
      },
    ],
    project: 'integration',
    noticedBy: [raises],
  },
  {
    takesAway: 'approvals: changes of the budgets of a campaign are judged one at a time',
    edits: [{ text: 'order by campaign, country for update`', replacement: 'order by campaign, country`' }],
    project: 'integration',
    noticedBy: [raises],
  },
  {
    takesAway: 'approvals: a retry counts from its own time',
    edits: [
      {
        text: "update unapproved_starts set at = now() where run = $1 and at > now() - interval '24 hours'",
        replacement: "update unapproved_starts set at = at where run = $1 and at > now() - interval '24 hours'",
      },
    ],
    project: 'integration',
    noticedBy: [sums],
  },
  {
    takesAway: 'approvals: a rule judges what began before',
    edits: [
      {
        text: 'return sums.map((sum) => reasonsOfSum(',
        replacement: 'return sums.slice(sums.length).map((sum) => reasonsOfSum(',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/domain/approval/started-sums'],
  },
  {
    takesAway: 'approvals: a run counts the users that it served once it has ended',
    edits: [
      {
        text: 'when (old.ended_at is null and new.ended_at is not null) execute function settle_unapproved_start();',
        replacement:
          'when (old.ended_at is null and old.ended_at is not null) execute function settle_unapproved_start();',
      },
    ],
    project: 'integration',
    noticedBy: [sums],
  },
  {
    takesAway: 'approvals: users that are tried again count once',
    edits: [
      {
        text: 'if (isPartOfCounted) return clearanceOf(',
        replacement: 'if (isPartOfCounted && runId === campaignId) return clearanceOf(',
      },
    ],
    project: 'integration',
    noticedBy: [sums],
  },
];
