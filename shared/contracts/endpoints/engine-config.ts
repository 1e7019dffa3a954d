import { z } from 'zod';
import { maxBatchUsers, usualBatchUsers } from '../../domain/step/batch.ts';
import { paramsSchemaProblems } from '../../domain/endpoint/params-schema.ts';
import { pricePattern } from '../../domain/money/amounts.ts';
import { actionTypePattern, countryPattern } from '../../domain/endpoint/shard.ts';
import { isHttpUri, noUri } from '../uris.ts';
import { forbids, refusals, together, withCode } from '../stated-rules.ts';
import { nameShape, wordShape } from '../stored-texts.ts';

/**
 * Addresses and promises of the services that Muster calls (docs/configuration.md), read from the JSON file that
 * `MUSTER_CONFIG` names. Secrets are in the environment; the file only contains the names of their variables.
 */
const serviceUrl = z
  .string()
  .trim()
  .refine(isHttpUrl, withCode('invalid-url', 'has to be an http:// or https:// URL'))
  .refine(
    holdsNoCredentials,
    withCode(
      'invalid-url',
      'must not hold user and password: name a variable with the whole header as authorizationEnv',
    ),
  )
  .refine((text) => !isCalled(text) || isHttpUri(text), withCode('invalid-url', noUri))
  .meta({
    format: 'uri',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?:',
    ...refusals({
      'invalid-url':
        'a URL cannot be read, as one with a port above 65535; has a user or a password; or is none by RFC 3986',
    }),
  });

const service = z.strictObject({
  url: serviceUrl.describe(
    'Where it is called: a batch endpoint itself, or the base of a segmentation service’s paths',
  ),
  authorizationEnv: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/, 'has to be the name of an environment variable, such as REWARDS_AUTHORIZATION')
    .optional()
    .describe('Name of the environment variable that holds the whole `Authorization` header; a URL holds no passwords'),
  timeoutMs: z.int().min(50).max(120_000).default(10_000).describe('Of one call'),
});

/** JSON Schema that validates parameters (shared/domain/endpoint/params-schema.ts). */
const paramsSchema = z.record(z.string(), z.unknown());

export type ParamsSchema = z.infer<typeof paramsSchema>;

const actionTypeFields = service.extend({
  title: nameShape(60)
    .optional()
    .describe('What campaign managers read in place of its name, such as `Give a reward`; else the name in words'),
  description: wordShape(500).optional().describe('What it does for a user, in plain words for campaign managers'),
  class: z.enum(['A', 'B', 'C', 'D']).describe('What the endpoint keeps about its effects'),
  check: z
    .boolean()
    .default(false)
    .describe('It is asked before steps that name it, and is never a step itself; of class A'),
  statusUrl: serviceUrl
    .optional()
    .describe('Class C alone, and needed there: where the outcome of users can be asked for. Same secret and time-out'),
  appliesLateSeconds: z
    .int()
    .min(1)
    .max(86_400)
    .optional()
    .describe(
      'Class C alone, and needed there: so long after its end a call may still be applied, and the outcome is not ' +
        'asked for before. At least the time-out',
    ),
  receipts: z
    .boolean()
    .default(false)
    .describe('It answers 202: `succeeded` means accepted, and what became of each user is reported later by receipts'),
  receiptsSecretEnv: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/, 'has to be the name of an environment variable, such as MESSAGES_RECEIPTS_SECRET')
    .optional()
    .describe('Name of the variable, of the API, that holds the secret which receipts are signed with (`whsec_…`)'),
  answerForm: z
    .enum(['full', 'compact'])
    .default('full')
    .describe('Which of the two answer forms to expect. The other one is understood too, more slowly'),
  keyLifeSeconds: z
    .int()
    .min(60)
    .default(30 * 86_400)
    .describe('How long the endpoint keeps what its class promises. Older open keys are not sent again: `unknown`'),
  unavailableMeansNotApplied: z
    .boolean()
    .default(false)
    .describe('Whether a 503 without `Retry-After` asserts that nothing was applied'),
  understandsTest: z
    .boolean()
    .default(false)
    .describe('The endpoint takes `Muster-Mode: test`: it answers as it would, and gives nothing'),
  price: z
    .string()
    .regex(pricePattern, 'has to be a decimal such as "0.05", with up to six places')
    .optional()
    .describe('What a unit of it costs, in the currency of the installation; kept with each run that begins'),
  refusedPercentLimit: z
    .number()
    .min(0)
    .max(100)
    .default(5)
    .describe('Of the users answered for in a step, at most so many (and 1,000) may be refused before it is held'),
  maxAttempts: z
    .int()
    .min(1)
    .max(100)
    .default(8)
    .describe("How often a user's retryable failure is tried, the first time included"),
  retry: z
    .strictObject({
      firstDelayMs: z.int().min(100).max(3_600_000).default(500).describe('The first wait, at most'),
      maxDelayMs: z.int().min(100).max(86_400_000).default(300_000).describe('The longest wait, at most'),
    })
    .prefault({})
    .describe('Between tries: a random part of the first delay, twice that, four times that, up to the longest'),
  ratePerSecond: z
    .strictObject({
      calls: z.number().positive().max(1_000_000).optional().describe('Calls a second'),
      users: z.number().positive().max(100_000_000).optional().describe('Users a second'),
    })
    .optional()
    .describe("What all workers together may send to this action type's endpoint, over all countries"),
  concurrency: z
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe(
      'Calls of one worker in flight at once for this action type; a sixteenth more for runs with hardly a call under way, and up to twice as many while the calls of another run hang',
    ),
  minConcurrency: z
    .int()
    .min(1)
    .max(1000)
    .default(1)
    .describe(
      'What a worker goes down to in one country when its endpoint times out or answers 429. Not above `concurrency`',
    ),
  batchSize: z
    .int()
    .min(1)
    .max(maxBatchUsers)
    .default(usualBatchUsers)
    .describe("Users per call, at most. A run's batches are as large as the smallest of its chain"),
  maxAnswerBytes: z
    .int()
    .min(1024)
    .max(64 * 1024 * 1024)
    .default(4 * 1024 * 1024)
    .describe('Longer answers count as ambiguous'),
  paramsSchema: paramsSchema
    .superRefine((schema, context) => {
      for (const { path, message, value } of paramsSchemaProblems(schema)) {
        context.addIssue({
          code: 'custom',
          path: [...path],
          message,
          input: value,
          params: { code: 'unusable-schema' },
        });
      }
    })
    .meta(refusals({ 'unusable-schema': 'a schema has a keyword that is not supported, or cannot be compiled' }))
    .optional()
    .describe('JSON Schema (2020-12) of the parameters: a campaign that does not fit it is refused'),
});

export const actionTypeRules = {
  if: { properties: { class: { const: 'C' } }, required: ['class'] },
  then: { required: ['statusUrl', 'appliesLateSeconds'] },
  else: forbids(together('statusUrl'), together('appliesLateSeconds')),
  ...forbids(
    { properties: { check: { const: true }, class: { enum: ['B', 'C', 'D'] } }, required: ['check', 'class'] },
    { properties: { check: { const: true }, receipts: { const: true } }, required: ['check', 'receipts'] },
    {
      properties: { receipts: { const: false } },
      required: ['receiptsSecretEnv'],
    },
  ),
  ...refusals({
    'shorter-than-timeout': '`appliesLateSeconds` is shorter than `timeoutMs`',
    'forbidden-address': 'an egress rule forbids an address',
    'only-in-file': 'a variable of the environment is named that the file of the engine does not name',
    'other-origin': 'a secret that is kept would be sent to another server',
    'only-when-registered': '`check` is changed',
    'not-asynchronous': 'a secret for receipts is given to an action type without receipts',
    'invalid-secret': 'a secret does not have the form of its kind',
  }),
};

export const actionTypeConfig = actionTypeFields.superRefine((type, context) => {
  checkClassTerms(type, context);
  checkReceiptTerms(type, context);
  checkCheckTerms(type, context);
});

export type ActionTypeConfig = z.infer<typeof actionTypeConfig>;

/**
 * Configuration as read from storage. Fields that only a newer version knows are dropped, and missing fields get their
 * defaults.
 */
export const keptActionTypeConfig = z.object({ ...actionTypeFields.shape, paramsSchema: paramsSchema.optional() });

/** Requires both fields for class C: neither the status endpoint nor the delay of late effects can be guessed. */
function checkClassTerms(type: z.infer<typeof actionTypeFields>, context: z.RefinementCtx): void {
  const { statusUrl, appliesLateSeconds, timeoutMs } = type;
  const issue = (field: 'statusUrl' | 'appliesLateSeconds', message: string) =>
    context.addIssue({ code: 'custom', path: [field], message, input: type[field] });
  if (type.class !== 'C') {
    if (statusUrl !== undefined) issue('statusUrl', 'is for class C');
    if (appliesLateSeconds !== undefined) issue('appliesLateSeconds', 'is for class C');
    return;
  }
  if (statusUrl === undefined) issue('statusUrl', 'class C needs it: where the outcome of users can be asked for');
  if (appliesLateSeconds === undefined) {
    issue('appliesLateSeconds', 'class C needs it: how long after its end a call may still be applied');
  } else if (appliesLateSeconds * 1000 < timeoutMs) {
    const message = `has to be at least the time-out, ${timeoutMs} ms`;
    const params = { code: 'shorter-than-timeout' };
    context.addIssue({ code: 'custom', path: ['appliesLateSeconds'], message, input: appliesLateSeconds, params });
  }
}

/**
 * Refuses a receipts secret without receipts, which would suggest that receipts are accepted. Receipts without this
 * secret are valid: they use a key, or a secret that is set later.
 */
function checkReceiptTerms(type: z.infer<typeof actionTypeFields>, context: z.RefinementCtx): void {
  const { receipts, receiptsSecretEnv } = type;
  if (receipts || receiptsSecretEnv === undefined) return;
  const message = `names ${receiptsSecretEnv}, and is for action types with "receipts": true alone`;
  context.addIssue({ code: 'custom', path: ['receiptsSecretEnv'], message, input: receiptsSecretEnv });
}

/** Refuses checks of other classes and with receipts: a check can be repeated at will and has no later effect. */
function checkCheckTerms(type: z.infer<typeof actionTypeFields>, context: z.RefinementCtx): void {
  if (!type.check) return;
  if (type.class !== 'A') {
    const message = 'a check has no effect, and may be asked again at will: it is of class A';
    context.addIssue({ code: 'custom', path: ['class'], message, input: type.class });
  }
  if (type.receipts) {
    const message = 'a check has no effect that could be reported later';
    context.addIssue({ code: 'custom', path: ['receipts'], message, input: true });
  }
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

/** False for URLs that another rule refuses already. */
function isCalled(text: string): boolean {
  return isHttpUrl(text) && holdsNoCredentials(text);
}

function holdsNoCredentials(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

export const engineConfig = z.strictObject({
  countries: z
    .array(z.string().regex(countryPattern, 'has to be two capital letters, such as SG'))
    .min(1)
    .superRefine((countries, context) => {
      const repeated = new Set(countries.filter((country, index) => countries.indexOf(country) < index));
      for (const country of repeated) context.addIssue(`names ${country} more than once`);
    })
    .optional()
    .describe(
      'Where this process serves, each once. Without it, a campaign may name any country, and the segmentation service ' +
        'says whether it has the segment there',
    ),
  segmentation: service
    .extend({
      pageSize: z
        .int()
        .min(100)
        .max(10_000)
        .default(1000)
        .describe('Users asked for per page, unless the service says that it may be more (`maxLimit`)'),
    })
    .describe('The service that says who is in a segment'),
  actionTypes: z
    .record(z.string().regex(actionTypePattern), actionTypeConfig)
    .default({})
    .describe('What the registry of action types begins with, by their names'),
  partitionsPerShard: z
    .int()
    .min(1)
    .max(1000)
    .default(6)
    .describe('How many workers can share a new shard; `muster shards set` raises it'),
  replicationFactor: z.int().min(1).max(5).default(1).describe('Of every topic; 3 where there are three brokers'),
});

export type EngineConfig = z.infer<typeof engineConfig>;

/** Action types and countries that campaigns may use; any country if none are given. */
export type Catalogue = Pick<EngineConfig, 'countries' | 'actionTypes'> & {
  /** Currency of the installation, for budgets in money; budgets in money are refused without it. */
  currency?: string | null;
};
