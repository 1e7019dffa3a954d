import type { Mutation } from './mutation.ts';

export const connectorsMutations: readonly Mutation[] = [
  {
    takesAway: 'connectors: queries of files read only their directory',
    edits: [{ text: "      'enable_external_access = false',\n", replacement: '' }],
    project: 'integration',
    noticedBy: ['connectors-files'],
  },
  {
    takesAway: 'connectors: an interrupted query of files is not a whole one',
    edits: [
      {
        text: '        requireWhole();\n        yield part;\n      }\n      requireWhole();\n',
        replacement: '        yield part;\n      }\n',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-files'],
  },
  {
    takesAway: 'connectors: only the last builder makes a snapshot ready',
    edits: [
      {
        text: "counts = ${$('counts')}::jsonb, used_at = clock_timestamp()\n  where id = ${$('id')} and epoch = ${$('epoch')}",
        replacement:
          "counts = ${$('counts')}::jsonb, used_at = clock_timestamp()\n  where id = ${$('id')} and ${$('epoch')}::int > 0",
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-snapshots'],
  },
  {
    takesAway: 'connectors: a snapshot that is being built is left to its builder',
    edits: [
      {
        text: "state = 'building' and lease_until < clock_timestamp()\n    or state = 'failed'",
        replacement: "state = 'building'\n    or state = 'failed'",
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-snapshots'],
  },
  {
    takesAway: 'connectors: a builder renews its lease',
    edits: [
      {
        text: '      if (!(await store.renew(claim, leaseMs).catch(() => true))) ending.abort(lost);\n',
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-snapshots'],
  },
  {
    takesAway: 'connectors: no page of a snapshot that is not whole',
    edits: [{ text: "if (snapshot.state === 'ready') {", replacement: "if (snapshot.state !== 'open') {" }],
    project: 'integration',
    noticedBy: ['connectors-snapshots'],
  },
  {
    takesAway: 'connectors: Postgres returns users in the order of bytes',
    edits: [
      {
        text: "order by convert_to(q.user_id::text, 'UTF8'), convert_to(q.country::text, 'UTF8')",
        replacement: 'order by q.user_id::text desc',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-segments'],
  },
  {
    takesAway: 'connectors: MariaDB returns users in the order of bytes',
    edits: [
      {
        text: 'order by cast(convert(q.user_id using utf8mb4) as binary), cast(convert(q.country using utf8mb4) as binary)',
        replacement: 'order by 1, 2',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-segments'],
  },
  {
    takesAway: 'connectors: queries of segments cannot write in Postgres',
    edits: [{ text: '`begin read only; set local', replacement: '`begin; set local' }],
    project: 'integration',
    noticedBy: ['connectors-segments'],
  },
  {
    takesAway: 'connectors: queries of segments cannot write in MariaDB',
    edits: [{ text: "'start transaction read only'", replacement: "'start transaction'" }],
    project: 'integration',
    noticedBy: ['connectors-segments'],
  },
  {
    takesAway: 'connectors: a connection of MariaDB that is lost ends the reading',
    edits: [{ text: "      connection.on('error', (error: Error) => stream.destroy(error));\n", replacement: '' }],
    project: 'integration',
    noticedBy: ['connectors-lost-databases'],
  },
  {
    takesAway: 'connectors: an action in Postgres serves only users without a result',
    edits: [
      {
        text: 'order by u collate "C" on conflict do nothing returning user_id`,\n    [run, step, users]',
        replacement:
          'order by u collate "C" on conflict (run, step, user_id) do update set code = null returning user_id`,\n    [run, step, users]',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-actions'],
  },
  {
    takesAway: 'connectors: an action in MariaDB serves only users without a result',
    edits: [{ text: 'and claim = ?`', replacement: "and claim <> concat(?, 'x')`" }],
    project: 'integration',
    noticedBy: ['connectors-actions'],
  },
  {
    takesAway: 'connectors: a commit without an answer may have happened',
    edits: [
      {
        text: "isCommitting && found.sqlState === undefined ? new TargetError('unknown', error) : found",
        replacement: 'found',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-actions'],
  },
  {
    takesAway: 'connectors: a user whose call is under way is not claimed',
    edits: [
      {
        text: "r.state = 'begun' and r.lease_until < clock_timestamp())\n  returning user_id",
        replacement: "r.state = 'begun')\n  returning user_id",
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-results'],
  },
  {
    takesAway: 'connectors: a lost call is repeated only if the API recognizes the repeat',
    edits: [
      { text: "where ${$('isRepeatable')}::boolean", replacement: "where (true or ${$('isRepeatable')}::boolean)" },
    ],
    project: 'integration',
    noticedBy: ['connectors-results'],
  },
  {
    takesAway: 'connectors: only the claim of a call stores its results',
    edits: [
      {
        text: "and r.claim = ${$('claim')} and r.state in",
        replacement: "and ${$('claim')}::uuid is not null and r.state in",
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-results'],
  },
  {
    takesAway: 'connectors: results are stored before the answer',
    edits: [{ text: 'if (results.size > 0) await store.finish(claim, results);\n', replacement: '' }],
    project: 'integration',
    noticedBy: ['connectors-calls'],
  },
  {
    takesAway: 'connectors: a repeat that applied nothing proves nothing about a lost call',
    edits: [
      {
        text: "if (outcome.state === 'retryable' && known.get(user)?.state === 'unknown') continue;\n",
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-calls'],
  },
  {
    takesAway: 'connectors: a limit of the API pauses all instances',
    edits: [{ text: '    await pace.pause(id, waitMs);\n', replacement: '' }],
    project: 'integration',
    noticedBy: ['connectors-calls'],
  },
  {
    takesAway: 'connectors: a request that is refused as a whole fails no user who was not alone',
    edits: [{ text: "(meaning.is === 'refused' && called.length === 1)", replacement: "meaning.is === 'refused'" }],
    project: 'integration',
    noticedBy: ['connectors-calls'],
  },
  {
    takesAway: 'connectors: requests of all batches share the concurrency of the action',
    edits: [{ text: 'if (free === 0) return', replacement: 'if (free < 0) return' }],
    project: 'unit',
    noticedBy: ['single-calls/slots'],
  },
  {
    takesAway: 'connectors: a test calls no API',
    edits: [
      {
        text: "    if (request.mode === 'test') return answerOf(users, testedOutcomes(users, failures), undefined);\n",
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-calls'],
  },
  {
    takesAway: 'connectors: a process that was suspended after its claim begins no request',
    edits: [{ text: 'clock.monotonicMs() - claimedAtMs > latestBeginMs', replacement: 'latestBeginMs < 0' }],
    project: 'unit',
    noticedBy: ['call-round'],
  },
  {
    takesAway: 'connectors: an answer of 429 means that nothing was applied',
    edits: [{ text: 'if (status === 429 || (notYet', replacement: 'if ((notYet' }],
    project: 'unit',
    noticedBy: ['answer-rules'],
  },
  {
    takesAway: 'connectors: values in URLs are encoded',
    edits: [{ text: 'encodeURIComponent(value.toWellFormed())', replacement: 'value' }],
    project: 'unit',
    noticedBy: ['call-template'],
  },
  {
    takesAway: 'connectors: values in the HTML of a mail are escaped',
    edits: [
      {
        text: "createEngine({ outputEscape: 'escape' })",
        replacement: 'createEngine({})',
      },
    ],
    project: 'unit',
    noticedBy: ['email/templates'],
  },
  {
    takesAway: 'connectors: a subject is one line',
    edits: [
      {
        text: ".replaceAll(/[\\p{Cc}\\p{Zl}\\p{Zp}]+/gu, ' ')",
        replacement: '',
      },
    ],
    project: 'unit',
    noticedBy: ['email/templates'],
  },
  {
    takesAway: 'connectors: a template reads no other template',
    edits: [
      {
        text: "engine.registerTag(tag, { parse: () => refuseTag(tag), render: () => '' })",
        replacement: 'refuseTag.name',
      },
    ],
    project: 'unit',
    noticedBy: ['email/templates'],
  },
  {
    takesAway: 'connectors: a mail goes to the address of one mailbox',
    edits: [
      {
        text: 'address.exec(text)?.[1]',
        replacement: "address.exec(text.split(/[\\s,;]/)[0] ?? '')?.[1]",
      },
    ],
    project: 'unit',
    noticedBy: ['email/addresses'],
  },
  {
    takesAway: 'connectors: a link and a Message-ID are signed',
    edits: [
      {
        text: 'timingSafeEqual(offered, signatureOf(secret, purpose, payload))',
        replacement: '!offered.equals(Buffer.alloc(16))',
      },
    ],
    project: 'unit',
    noticedBy: ['email/mail-references'],
  },
  {
    takesAway: 'connectors: a Message-ID is no link',
    edits: [
      {
        text: 'JSON.stringify([purpose, action, payload])',
        replacement: 'JSON.stringify([action, payload, purpose.length > 0])',
      },
    ],
    project: 'unit',
    noticedBy: ['email/mail-references'],
  },
  {
    takesAway: 'connectors: a mail is in doubt once its content was sent',
    edits: [
      {
        text: "if (isTransferred) return { kind: 'lost', cause };",
        replacement: '',
      },
    ],
    project: 'unit',
    noticedBy: ['smtp/mail-sender'],
  },
  {
    takesAway: 'connectors: a domain that refuses mails is paused',
    edits: [
      {
        text: 'state.pausedUntilMs = clock.monotonicMs() + pauseMs',
        replacement: 'state.pausedUntilMs = 0 * pauseMs',
      },
    ],
    project: 'unit',
    noticedBy: ['email/domain-gate'],
  },
  {
    takesAway: 'connectors: the mailbox of a hard bounce is suppressed',
    edits: [
      {
        text: 'if (note !== undefined) reports.push',
        replacement: "if (note === '') reports.push",
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-email-reports'],
  },
  {
    takesAway: 'connectors: a mailbox that does not exist at the mail server is suppressed',
    edits: [
      {
        text: "delivery.kind === 'final' && delivery.isBadMailbox",
        replacement: "delivery.kind === 'final' && delivery.message === ''",
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-email-servers'],
  },
  {
    takesAway: 'connectors: a user gets one mail for each step, under whatever key',
    edits: [
      {
        text: 'call.users.filter(isOpen)',
        replacement: 'call.users',
      },
      {
        text: 'if (isOpen === undefined) {',
        replacement: "if (isOpen === undefined && user === '') {",
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-email.integration'],
  },
  {
    takesAway: 'connectors: a refusal of a mail that may have been accepted before concludes nothing',
    edits: [
      {
        text: "isOpen && !isAccepted(delivery) ? { kind: 'lost' } : delivery",
        replacement: 'delivery',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-email-servers'],
  },
  {
    takesAway: 'connectors: a key of a mail batch with another body is refused',
    edits: [
      {
        text: 'known !== undefined && known.digest !== digest',
        replacement: "known !== undefined && known.digest === ''",
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-email.integration'],
  },
  {
    takesAway: 'connectors: only the link of a mail is open to readers without the header',
    edits: [
      {
        text: "{ config: { name: 'bounces' } }",
        replacement: "{ config: { name: 'bounces', isPublic: true } }",
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-email-reports'],
  },
  {
    takesAway: 'connectors: no more mails of a batch are claimed than may be sent at once',
    edits: [
      { text: 'const lanes = Math.min(maxLanes, maxConnections);', replacement: 'const lanes = maxLanes;' },
      { text: 'Math.floor(maxConnections / lanes)', replacement: 'Math.ceil(maxConnections / lanes)' },
    ],
    project: 'integration',
    noticedBy: ['connectors-email-kills'],
  },
  {
    takesAway: 'connectors: users of a look-up in MariaDB are no part of its text',
    edits: [
      {
        text: 'const found = await execute(connection, sql, values);',
        replacement:
          'const found = { rows: await new Promise((done, fail) => connection.query(sql, values, (error, rows) => (error ? fail(error) : done(rows)))) };',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-look-ups'],
  },
  {
    takesAway: 'connectors: large integers of MariaDB are read as they are',
    edits: [{ text: 'supportBigNumbers: true,', replacement: 'supportBigNumbers: false,' }],
    project: 'integration',
    noticedBy: ['connectors-look-ups'],
  },
  {
    takesAway: 'connectors: connections to MariaDB keep few prepared statements',
    edits: [{ text: 'const maxPreparedStatements = 50;', replacement: 'const maxPreparedStatements = 16_000;' }],
    project: 'integration',
    noticedBy: ['connectors-look-ups'],
  },
  {
    takesAway: 'connectors: a suspended process holds its users in MariaDB for the time of a statement',
    edits: [{ text: ', wait_timeout = ${seconds}`', replacement: '`' }],
    project: 'integration',
    noticedBy: ['connectors-action-freezes'],
  },
  {
    takesAway: 'connectors: a suspended process holds its users in Postgres for the time of a statement',
    edits: [
      {
        text: 'set local idle_in_transaction_session_timeout = ${timeoutMs}`',
        replacement: 'set local idle_in_transaction_session_timeout = 0`',
      },
    ],
    project: 'integration',
    noticedBy: ['connectors-action-freezes'],
  },
  {
    takesAway: 'connectors: previews of mails are signed like batches',
    edits: [
      { text: "{ config: { name: 'preview', isSigned: true } }", replacement: "{ config: { name: 'preview' } }" },
    ],
    project: 'integration',
    noticedBy: ['connectors-email'],
  },
  {
    takesAway: 'connectors: addresses of Postgres are judged at each connection',
    edits: [{ text: '    stream: () => sockets.unconnected(),\n', replacement: '' }],
    project: 'integration',
    noticedBy: ['connectors-segments'],
  },
  {
    takesAway: 'connectors: a mail is rendered again if the process was suspended meanwhile',
    edits: [{ text: 'const renderAttempts = 3;', replacement: 'const renderAttempts = 1;' }],
    project: 'unit',
    noticedBy: ['email/templates'],
  },
  {
    takesAway: 'the dispatcher: addresses of its mail server are judged at each connection',
    edits: [{ text: '    getSocket: openSocketOf(url, timeoutMs, sockets),\n', replacement: '' }],
    project: 'unit',
    noticedBy: ['dispatcher/mail/mail-endpoint'],
  },
  {
    takesAway: 'connectors: addresses of a name are judged at each connection',
    edits: [
      { text: 'const allowed = addresses.filter(mayConnect).map(', replacement: 'const allowed = addresses.map(' },
    ],
    project: 'integration',
    noticedBy: ['connectors-segments'],
  },
  {
    takesAway: 'connectors: literal addresses are judged at each connection',
    edits: [{ text: 'if (isIP(host) !== 0 && !mayConnect(host))', replacement: 'if (isIP(host) < 0)' }],
    project: 'unit',
    noticedBy: ['guarded-sockets'],
  },
  {
    takesAway: 'connectors: references of a former secret are read',
    edits: [{ text: 'secrets: [secret.value, ...formerSecrets.value],', replacement: 'secrets: [secret.value],' }],
    project: 'integration',
    noticedBy: ['connectors-email'],
  },
  {
    takesAway: 'the API: a preview is for action types and countries in the scope of the key',
    edits: [
      {
        text: '      requireCampaignInScope(request, { countries: [body.country], chain: [{ action: params.name }] });\n',
        replacement: '',
      },
    ],
    project: 'integration',
    noticedBy: ['scopes-of-routes'],
  },
  {
    takesAway: 'the API: the address of previews is judged when it is registered',
    edits: [
      {
        text: "const calledFields = ['url', 'statusUrl', 'previewUrl'] as const;",
        replacement: "const calledFields = ['url', 'statusUrl'] as const;",
      },
    ],
    project: 'unit',
    noticedBy: ['check-action-type'],
  },
  {
    takesAway: 'the API: a secret is not sent to another address of previews',
    edits: [
      {
        text: 'const called = [url, statusUrl, previewUrl].flatMap(',
        replacement: 'const called = [url, statusUrl].flatMap(',
      },
    ],
    project: 'unit',
    noticedBy: ['check-action-type'],
  },
];
