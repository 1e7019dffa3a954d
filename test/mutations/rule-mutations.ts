import type { Mutation } from './mutation.ts';

/** Protections of checks, quiet hours, money, and hold-outs. */
export const ruleMutations: readonly Mutation[] = [
  {
    takesAway: 'whom a check refuses is not called',
    edits: [
      {
        text: "  if (failures.length > 0) return { kind: 'record', result: withheldResult(work, failures, true) };\n  const { check: _",
        replacement: '  const { check: _',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/checks'],
  },
  {
    takesAway: 'a check that gives no answer is waited for, where its step says so',
    edits: [
      {
        text: "if (tries < type.maxAttempts || check.onUnavailable === 'wait') {",
        replacement: 'if (tries < type.maxAttempts) {',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/checks'],
  },
  {
    takesAway: 'what waits for the end of quiet hours is put back until then',
    edits: [
      {
        text: "  const delayMs = Math.max(0, untilMs - deps.clock.now().getTime());\n  return then === 'drop'",
        replacement: "  const delayMs = 0 * untilMs;\n  return then === 'drop'",
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/gates/quiet-hours'],
  },
  {
    takesAway: 'a run keeps the prices that it began with, however often it is resumed',
    edits: [
      {
        text: "before update of state on runs for each row\n  when (new.state = 'running' and new.prices is null)",
        replacement: "before update of state on runs for each row\n  when (new.state = 'running')",
      },
    ],
    project: 'integration',
    noticedBy: ['run-cost.integration'],
  },
  {
    takesAway: 'no feed is written whose costs a budget in money cannot count',
    edits: [
      { text: '  constraint feeds_have_prices check (array_position(step_units, null) is null),\n', replacement: '' },
    ],
    project: 'integration',
    noticedBy: ['integration/budgets.integration'],
  },
  {
    takesAway: 'a run waits while a step that costs has no price',
    edits: [{ text: '    or q.price is null or q.price *', replacement: '    or q.price *' }],
    project: 'integration',
    noticedBy: ['integration/budgets.integration'],
  },
  {
    takesAway: 'a batch costs a budget in money what all of its users cost',
    edits: [
      {
        text: 'f.step_units[k.step] * coalesce(p.rest_users, b.n)::bigint as wanted',
        replacement: 'f.step_units[k.step] as wanted',
      },
    ],
    project: 'integration',
    noticedBy: ['integration/budgets.integration'],
  },
  {
    takesAway: 'an approval of so much money is not one of more',
    edits: [
      {
        text: 'costsAtMost(usersAtMost, terms, amountAtMost),',
        replacement: 'amountAtMost !== undefined,',
      },
    ],
    project: 'unit',
    noticedBy: ['user-bounds'],
  },
  {
    takesAway: 'pages under a token that is no longer the feed’s hold nobody out',
    edits: [
      {
        text: '    if (!(await writeBatches(client, pages))) return false;\n    const heldOut',
        replacement: '    await writeBatches(client, pages);\n    const heldOut',
      },
    ],
    project: 'integration',
    noticedBy: ['held-out-routes'],
  },
];
