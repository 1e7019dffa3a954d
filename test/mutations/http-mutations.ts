import type { Mutation } from './mutation.ts';

/** Protections of calls over HTTP. */
export const httpMutations: readonly Mutation[] = [
  {
    takesAway: 'an answer is read after 100 Continue',
    edits: [{ text: '[status === 100 ? 102 : status, ...others]', replacement: '[status, ...others]' }],
    project: 'unit',
    noticedBy: ['shared/http-client/interim-answers'],
  },
  {
    takesAway: 'an answer is read after an interim answer that ends its connection',
    edits: [{ text: '  readAfterClose(parser);\n', replacement: '' }],
    project: 'unit',
    noticedBy: ['shared/http-client/interim-answers'],
  },
  {
    takesAway: 'a call that is lost with a kept connection is sent once more',
    edits: [{ text: 'isRepeatable && !closed && connection.endedUnanswered()', replacement: 'false' }],
    project: 'unit',
    noticedBy: ['shared/http-client/lost-connection'],
  },
  {
    takesAway: 'a call of class C or D is sent once',
    edits: [{ text: 'isRepeatable && !closed && connection', replacement: '!closed && connection' }],
    project: 'unit',
    noticedBy: ['services/worker/endpoint/http/lost-connections'],
  },
  {
    takesAway: 'a call whose answer has begun is sent once',
    edits: [{ text: ' && this.#socket?.bytesRead === this.#bytesBefore', replacement: '' }],
    project: 'unit',
    noticedBy: ['shared/http-client/lost-connection'],
  },
  {
    takesAway: 'a call is not sent once more when others may have its job',
    edits: [{ text: 'if (this.#firstLoss !== undefined) this.#beginAgain(this.#firstLoss);', replacement: '' }],
    project: 'unit',
    noticedBy: ['shared/http-client/lost-connection'],
  },
  {
    takesAway: 'answers that came while the process stood still are read before their calls expire',
    edits: [
      {
        text: 'if (call.deadline <= now) expireOnceRead(call);',
        replacement: 'if (call.deadline <= now) call.expire();',
      },
    ],
    project: 'unit',
    noticedBy: ['shared/http-client/call-deadlines'],
  },
  {
    takesAway: 'a body that arrived while the process stood still is in time',
    edits: [
      {
        text: 'setTimeout(() => afterReading(() => socket.bytesRead, cut), timeoutMs)',
        replacement: 'setTimeout(cut, timeoutMs)',
      },
    ],
    project: 'unit',
    noticedBy: ['services/api/frame/server/limit-arrival'],
  },
  {
    takesAway: 'a name server that answered while the process stood still is not overlooked',
    edits: [{ text: 'nextCheck(nothingKnown)', replacement: 'nothingKnown' }],
    project: 'unit',
    noticedBy: ['shared/http-client/host-names'],
  },
  {
    takesAway: 'a database server that answered while the process stood still is not given up',
    edits: [{ text: 'isLast || this.#progress() === before', replacement: 'true' }],
    project: 'unit',
    noticedBy: ['shared/postgres/connection/servers/server-client'],
  },
  {
    takesAway: 'an issuer never receives a code twice',
    edits: [{ text: "originOf(url, call.method === 'GET')", replacement: 'originOf(url, true)' }],
    project: 'unit',
    noticedBy: ['shared/http-client/openid-issuer'],
  },
  {
    takesAway: 'an answer that breaks HTTP is named as such',
    edits: [{ text: "if (error.name === 'HTTPParserError')", replacement: "if (error.name === 'HPE_')" }],
    project: 'unit',
    noticedBy: ['shared/http-client/http-cause'],
  },
  {
    takesAway: 'a silent address does not hold up a connection to the next one',
    edits: [{ text: 'const nextAddressMs = 250;', replacement: 'const nextAddressMs = 2_000_000_000;' }],
    project: 'unit',
    noticedBy: ['shared/http-client/connect-to-first'],
  },
];
