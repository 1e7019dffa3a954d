import type { Mutation } from './mutation.ts';

export const schedulerMutations: readonly Mutation[] = [
  {
    takesAway: 'reading for a client that is behind costs what it has due, whatever others have',
    edits: [{ text: 'const mostSpans = 200_000;', replacement: 'const mostSpans = 0;' }],
    project: 'integration',
    noticedBy: ['test/integration/backlogged-clients.integration'],
  },
  {
    takesAway: 'what Kafka lost of a client that is behind is listed by the sweep',
    edits: [{ text: '    backlogged.list(', replacement: '    if (passed.length < 0) backlogged.list(' }],
    project: 'unit',
    noticedBy: ['services/scheduler/offer/offering-again'],
  },
  {
    takesAway: 'a schedule that cannot be read holds up no other',
    edits: [
      {
        text: '      broken.push({ scheduleId: idOf(subject),',
        replacement: '      if (cause) throw error;\n      broken.push({ scheduleId: idOf(subject),',
      },
    ],
    project: 'integration',
    noticedBy: ['broken-schedules.integration'],
  },
  {
    takesAway: 'a key is known for three days after its job has ended',
    edits: [{ text: "const keyLife = '3 days';", replacement: "const keyLife = '2 days';" }],
    project: 'integration',
    noticedBy: ['job-intake.integration'],
  },
  {
    takesAway: 'locks: a flush locks the jobs of its results before it makes claims',
    edits: [{ text: '      and (select count(*) from f) >= 0\n', replacement: '' }],
    project: 'integration',
    noticedBy: ['lock-order'],
  },
  {
    takesAway: 'locks: a claim waits for no job that is locked',
    edits: [{ text: 'for no key update skip locked\n', replacement: 'for key share\n' }],
    project: 'integration',
    noticedBy: ['lock-order'],
  },
  {
    takesAway: 'locks: the lock of a partition is waited for 50 ms',
    edits: [{ text: 'const lockTimeoutMs = 50;', replacement: 'const lockTimeoutMs = 20_000;' }],
    project: 'integration',
    noticedBy: ['job-days'],
  },
  {
    takesAway: 'locks: one partition is changed at a time, and a round ends at the first that is held',
    edits: [{ text: '      return { made, heldUp: 1 };\n', replacement: '' }],
    project: 'integration',
    noticedBy: ['job-days'],
  },
  {
    takesAway: 'a calendar that another transaction wrote under the same revision is read anew',
    edits: [{ text: 'return `${name} ${revision} ${writtenBy}`;', replacement: 'return `${name} ${revision}`;' }],
    project: 'unit',
    noticedBy: ['shared/postgres/schedules/work-calendars'],
  },
  {
    takesAway: 'an end under a stale epoch records nothing',
    edits: [
      { text: 'f.id = k.id and f.epoch = k.epoch limit 1', replacement: 'f.id = k.id limit 1' },
      { text: 'where f.ctid = k.tid and f.epoch = k.epoch\n', replacement: 'where f.ctid = k.tid\n' },
    ],
    project: 'integration',
    noticedBy: ['callbacks.integration'],
  },
  {
    takesAway: 'a job whose lease runs is not claimed by another dispatcher',
    edits: [{ text: '(f.lease_until < now()\n', replacement: '(true\n' }],
    project: 'integration',
    noticedBy: ['callbacks.integration'],
  },
  {
    takesAway: 'the key of a dead job is known',
    edits: [
      {
        text: "      union all select g.id from dead_jobs g where g.id = any(${$('looked')}::uuid[])\n",
        replacement: '\n',
      },
    ],
    project: 'integration',
    noticedBy: ['job-intake.integration'],
  },
  {
    takesAway: 'runs are created under the lease alone',
    edits: [
      {
        text: 'if (!(await holdLease(client, lease))) return',
        replacement: 'if (!(await holdLease(client, lease)) && limit < 0) return',
      },
    ],
    project: 'integration',
    noticedBy: ['control-stores'],
  },
  {
    takesAway: 'a job is not claimed before it is due',
    edits: [{ text: ' from j\n    where is_due\n', replacement: ' from j\n' }],
    project: 'integration',
    noticedBy: ['callbacks.integration'],
  },
  {
    takesAway: 'a region that was switched off claims nothing',
    edits: [
      {
        text: "and epoch = ${$('regionEpoch')}::int8 and active)",
        replacement: "and ${$('regionEpoch')}::int8 is not null)",
      },
    ],
    project: 'integration',
    noticedBy: ['callbacks.integration'],
  },
  {
    takesAway: 'a job that is only put back uses up no attempt',
    edits: [
      {
        text: 'attempt = j.attempt + case f.verdict when ${verdictCodes.retry} then 1 else 0 end',
        replacement: 'attempt = j.attempt + 1',
      },
    ],
    project: 'integration',
    noticedBy: ['callbacks.integration'],
  },
  {
    takesAway: 'a fixed time fires once where clocks are set back',
    edits: [
      {
        text: 'cron.isFixed ? Math.max(localStartMs, seenLocalMs) : localStartMs',
        replacement: 'cron.isFixed ? localStartMs : localStartMs',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/domain/recurrence'],
  },
  {
    takesAway: 'a fixed time fires later where clocks are set forward',
    edits: [{ text: "if (isFixed) return { kind: 'fire', atMs, mark: 'shifted', localMs };", replacement: '' }],
    project: 'unit',
    noticedBy: ['shared/domain/recurrence'],
  },
  {
    takesAway: 'every private range is in the list',
    edits: [{ text: "'172.16.0.0/12', ", replacement: '' }],
    project: 'unit',
    noticedBy: ['shared/runtime/egress/address-guard'],
  },
  {
    takesAway: 'no rule opens where clouds keep keys',
    edits: [{ text: '  ...metadata,\n', replacement: '' }],
    project: 'unit',
    noticedBy: ['shared/runtime/egress/address-guard'],
  },
  {
    takesAway: 'the address of an action type is judged when it is connected to',
    edits: [
      {
        text: 'addresses.filter((address) => guard.mayConnect({ hostname, port, address }))',
        replacement: 'addresses.slice()',
      },
    ],
    project: 'unit',
    noticedBy: ['services/worker/endpoint/http/batch-endpoint'],
  },
  {
    takesAway: 'a look-up that failed says nothing of its host',
    edits: [
      {
        text: " || answer.kind === 'unresolved') return 'none';",
        replacement: ") return 'none';\n  if (answer.kind === 'unresolved') return 'fails';",
      },
    ],
    project: 'unit',
    noticedBy: ['services/dispatcher/call/judge-answer'],
  },
  {
    takesAway: 'a caller looks up so many names at once',
    edits: [{ text: 'const lookupsOfCaller = 20;', replacement: 'const lookupsOfCaller = 2000;' }],
    project: 'unit',
    noticedBy: ['shared/http-client/host-names'],
  },
  {
    takesAway: 'a secret header of a job is sealed',
    edits: [
      { text: '  return !harmless.has(name);', replacement: "  return name === 'x-never' && !harmless.has(name);" },
    ],
    project: 'integration',
    noticedBy: ['sealed-secrets.integration'],
  },
  {
    takesAway: 'the query of a job is sealed',
    edits: [{ text: 'return query === 0 ? {', replacement: 'return query >= 0 ? {' }],
    project: 'integration',
    noticedBy: ['sealed-secrets.integration'],
  },
  {
    takesAway: 'a secret of a job opens for its own server alone',
    edits: [
      {
        text: '`call:${clientId}:${origin}:header:${name}`',
        replacement: '`call:${clientId}:header:${name}${origin && ""}`',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/runtime/installation/call-secrets', 'services/dispatcher/call/call-opener'],
  },
  {
    takesAway: 'a secret that was sent is not kept with an answer that repeats it',
    edits: [
      {
        text: 'const secrets = [...given.secrets, ...target.secrets];',
        replacement: 'const secrets: string[] = [];',
      },
    ],
    project: 'integration',
    noticedBy: ['sealed-secrets.integration'],
  },
  {
    takesAway: 'what could not be opened costs no attempt',
    edits: [{ text: "const mayYetBe = answer.kind === 'unsent' || (", replacement: 'const mayYetBe = (' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/call/judge-answer'],
  },
  {
    takesAway: 'a redirect is no success of a callback',
    edits: [{ text: 'return status >= 200 && status < 300;', replacement: 'return status >= 200 && status < 400;' }],
    project: 'unit',
    noticedBy: ['services/dispatcher/call/judge-answer'],
  },
  {
    takesAway: 'an answer to the job that tries a host is an attempt of it',
    edits: [{ text: "answer.kind === 'unanswered';", replacement: "sign === 'fails';" }],
    project: 'unit',
    noticedBy: ['services/dispatcher/dispatcher-hosts'],
  },
  {
    takesAway: 'a host is tried with another job each time',
    edits: [{ text: "const tries = 'attempt + probes';", replacement: "const tries = 'id';" }],
    project: 'integration',
    noticedBy: ['callbacks.integration'],
  },
];
