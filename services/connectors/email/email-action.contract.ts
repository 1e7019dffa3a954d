import { z } from 'zod';
import { actionTypePattern } from '../../../shared/domain/endpoint/shard.ts';
import { allActionTypes } from '../../../shared/domain/step/suppressions.ts';
import { nameInFile } from '../databases/name-in-file.contract.ts';

const variable = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]*$/, 'has to be the name of an environment variable, such as SHOP_SMTP_URL');

const sender = /^(?:[^<>\r\n]*<)?[^<>\s@]+@[^<>\s@]+>?$/;
const domain = z.string().regex(/^([a-z0-9-]+\.)+[a-z0-9-]+$/, 'has to be a domain such as example.com');

const template = z
  .union([z.string().min(1).max(500_000), z.strictObject({ file: z.string().min(1).max(1000) })])
  .describe('Liquid, or `{ "file": "…" }` beside the connectors’ file');

const text = (usual: string) => z.string().trim().min(1).max(500).default(usual);

const message = z.strictObject({
  from: z
    .string()
    .regex(sender, 'has to be an address such as news@example.com or Shop <news@example.com>')
    .describe('Sender of the mails. Bounces go to its address'),
  replyTo: z
    .string()
    .regex(sender, 'has to be an address such as help@example.com')
    .optional()
    .describe('Address that answers go to'),
  subject: z.string().min(1).max(10_000).describe('Subject in Liquid, on one line'),
  html: template
    .optional()
    .describe(
      'HTML in Liquid, or `{ "file": "…" }` beside the connectors’ file. Values are escaped unless the template has `| raw`',
    ),
  text: template
    .optional()
    .describe('Plain text in Liquid, or a file as for `html`. One of the two is needed; mail programs expect both'),
});

const smtp = z.strictObject({
  urlEnv: variable.describe(
    'Name of the variable with the mail server: `smtps://user:password@host:465`, or `smtp://` with STARTTLS. A password is only sent over TLS. `<variable>_FILE` may name a file instead',
  ),
  maxConnections: z.int().min(1).max(100).default(10).describe('Maximum connections of each process'),
  timeoutSeconds: z.int().min(1).max(300).default(30).describe('Maximum duration of one mail'),
  dkim: z
    .strictObject({
      domain: domain.describe('Domain that signs'),
      selector: z
        .string()
        .regex(/^[\w.-]{1,63}$/, 'has to be a selector such as s1')
        .describe('Selector of its key'),
      keyEnv: variable.describe('Name of the variable with the private key in PEM'),
    })
    .optional()
    .describe('Signs each mail by DKIM. Leave it out if the mail server signs'),
});

const unsubscribe = z.strictObject({
  url: z
    .url({ protocol: /^https$/, error: 'has to be a URL such as https://mail.example.com' })
    .describe('Where readers reach the connectors’ path `/v1/actions/<id>/unsubscribe/`, and nothing else of them'),
  question: text('Do you want to stop these mails?').describe('Question of the page that a link opens'),
  button: text('Unsubscribe').describe('Text of its button'),
  done: text('You will get no more of these mails.').describe('Text of the page after it'),
});

const perDomain = z.strictObject({
  perSecond: z.number().positive().max(10_000).optional().describe('Mails per second to each domain, by each process'),
  perSecondOf: z
    .record(domain, z.number().positive().max(10_000))
    .default({})
    .describe('Mails per second by domain, in place of `perSecond`'),
  pauseAfterRefusals: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe('After so many refusals of a domain in a row (4xx, or a policy 5.7.x), its mails wait'),
  pauseSeconds: z.int().min(1).max(3600).default(60).describe('How long they wait before the next try'),
});

/** An action of the connectors' file that sends e-mails. */
export const emailAction = z.strictObject({
  email: message.describe('The mail'),
  users: z
    .strictObject({
      database: nameInFile.describe('Name of its database in this file'),
      query: z
        .string()
        .trim()
        .min(1)
        .max(100_000)
        .describe(
          'A `select` that returns `user_id`, `email` and further columns, one row for each of `:users`. Templates have ' +
            'the columns as `user.<column>`',
        ),
    })
    .describe('Look-up of addresses and attributes'),
  smtp: smtp.describe('The mail server'),
  secretEnv: variable.describe(
    'Name of the variable with a secret of 32 characters or more, which signs Message-IDs and links',
  ),
  formerSecretEnv: variable
    .optional()
    .describe(
      'Name of the variable with the secret before it. Links and bounces of mails that it signed still count; without it, ' +
        'they end with a new secret',
    ),
  unsubscribe: unsubscribe
    .optional()
    .describe('Adds `List-Unsubscribe` with one click, and `unsubscribe_url` to templates'),
  suppressionList: z
    .union([z.literal(allActionTypes), z.string().regex(actionTypePattern)])
    .optional()
    .describe(
      'Action type whose suppression list gets bounces, complaints and unsubscribed users; `*`: all. Without it, the id',
    ),
  perDomain: perDomain.prefault({}).describe('Limits for each recipient domain'),
  onLostAnswer: z
    .enum(['unknown', 'send-again'])
    .default('unknown')
    .describe(
      'What a mail does whose acceptance is uncertain. `unknown`: it is not sent again. `send-again`: a repeat sends it with ' +
        'the same Message-ID, and the user may get it twice',
    ),
  batchSeconds: z
    .int()
    .min(1)
    .max(100)
    .default(8)
    .describe('Mails of a batch that were not begun by then are answered as retryable'),
  keepDays: z.int().min(1).max(365).default(30).describe('How long results of users and answers are kept'),
});
