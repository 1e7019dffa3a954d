import type { Mutation } from './mutation.ts';

const api = 'services/api/approvals/approvals';
const runs = 'services/trigger/prepare/run-approvals';

export const approvalMutations: readonly Mutation[] = [
  {
    takesAway: 'approvals: an author does not approve',
    edits: [
      {
        text: 'const isAuthor = authors.some((author) => author.key === key || isTheirs(author.owner));',
        replacement: 'const isAuthor = key === null && isTheirs(null);',
      },
    ],
    project: 'integration',
    noticedBy: [api],
  },
  {
    takesAway: 'approvals: keys of one owner are one person',
    edits: [
      {
        text: 'select count(distinct lower(trim(k.owner)))::int from approval_votes',
        replacement: 'select count(*)::int from approval_votes',
      },
      {
        text: 'where v.approval = $1 and lower(trim(k.owner)) = lower(trim($4)))',
        replacement: 'where v.approval = $1 and v.api_key = $2 and $4::text is not null)',
      },
    ],
    project: 'integration',
    noticedBy: [api],
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
        text: 'return above !== undefined && sum > above ?',
        replacement: 'return above !== undefined && sum > above * 1.1 ?',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/domain/approval/approval-policy'],
  },
  {
    takesAway: 'approvals: the start of a campaign is refused by its row',
    edits: [
      {
        text: "\n      and is_cleared(id, revision, ${$('policy')}, ${$('approvalId')})",
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
        text: ' and is_cleared(id, revision, $2, $3)\n  returning name',
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
        text: "(kind = 'dry-run' or is_cleared(campaign, revision, ${$('policy')}, ${$('approval')}))",
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
        text: ' and is_cleared(campaign, revision, $2, $3) for update',
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
    edits: [{ text: 'check (users_at_most is null or fed_users <= users_at_most)', replacement: 'check (true)' }],
    project: 'integration',
    noticedBy: [runs],
  },
  {
    takesAway: 'approvals: a run beside its schedule is not covered by it',
    edits: [
      {
        text: 'const approvals = isByHand ? all.filter(({ isOfRun }) => isOfRun) : all;',
        replacement: 'const approvals = isByHand ? [...all] : all;',
      },
    ],
    project: 'integration',
    noticedBy: [runs],
  },
  {
    takesAway: 'approvals: a person who pauses a run that waits stops it',
    edits: [
      {
        text: 'const goesOnOtherwise = isWaitingForApproval(run.stateReason) || isWaitingAfterCanary(run.stateReason);',
        replacement: 'const goesOnOtherwise = isWaitingForApproval(null) || isWaitingAfterCanary(run.stateReason);',
      },
    ],
    project: 'integration',
    noticedBy: [runs],
  },
  {
    takesAway: 'approvals: a run that waits for one is not resumed',
    edits: [
      { text: "if (verb === 'resume' && (await approvals.isRunWaiting(runId))) throw runWaits(id);", replacement: '' },
    ],
    project: 'integration',
    noticedBy: [runs],
  },
];
