import type { Mutation } from './mutation.ts';

const tests = 'services/api/trials/live-tests';

export const trialMutations: readonly Mutation[] = [
  {
    takesAway: 'test sends: a test is judged again once it holds the lock of the sums',
    edits: [
      {
        text: 'return clearedTest(connection, test, await judgeBySums(connection, test));',
        replacement: 'return clearedTest(connection, test, first);',
      },
    ],
    project: 'integration',
    noticedBy: [tests],
  },
  {
    takesAway: 'test sends: a test under no rule does not wait for the lock of the sums',
    edits: [
      { text: 'first.start.rules.length > 0 && first.clearanceByTotals', replacement: 'first.clearanceByTotals' },
    ],
    project: 'integration',
    noticedBy: [tests],
  },
  {
    takesAway: 'approvals: a live test counts in the sums',
    edits: [
      {
        text: 'if (counts) await countStart(',
        replacement: 'if (counts && users.length === 0) await countStart(',
      },
    ],
    project: 'integration',
    noticedBy: [tests],
  },
  {
    takesAway: 'test sends: a user is reached once unless it is stated',
    edits: [
      {
        text: "if (reached.length > 0) return { kind: 'reached', users",
        replacement: "if (reached.length > test.users.length) return { kind: 'reached', users",
      },
    ],
    project: 'integration',
    noticedBy: [tests],
  },
  {
    takesAway: 'approvals: tests by an approval reach no more users than it covers',
    edits: [{ text: 'sumOf(wanted, tested))', replacement: 'wanted)' }],
    project: 'integration',
    noticedBy: [tests],
  },
  {
    takesAway: 'canaries: a start does not replace the canary of the definition',
    edits: [{ text: 'if (definition.canary !== undefined)', replacement: 'if (definition.canary?.users === 0)' }],
    project: 'integration',
    noticedBy: ['services/api/campaigns/canary'],
  },
  {
    takesAway: 'canaries: the canary of a start is that of its run',
    edits: [
      { text: "(c.definition || r.settings) -> 'canary' as canary", replacement: "c.definition -> 'canary' as canary" },
    ],
    project: 'integration',
    noticedBy: ['test/integration/execution-path'],
  },
];
