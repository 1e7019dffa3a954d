import { z } from 'zod';

/** Parses `key=value,key=value`, percent-encoded, as OpenTelemetry defines it. */
const pairs = z.string().transform((text, context) => {
  const read = text.split(',').map((pair) => pairOf(pair.trim()));
  const found = read.filter((pair) => pair !== undefined);
  if (found.length === read.length) return Object.fromEntries(found);
  context.addIssue({ code: 'custom', message: 'has to be key=value, separated by commas, percent-encoded' });
  return z.NEVER;
});

function pairOf(text: string): [string, string] | undefined {
  const [, key, value] = /^([^=\s]+)=(.*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) return undefined;
  try {
    return [decodeURIComponent(key), decodeURIComponent(value)];
  } catch {
    return undefined;
  }
}

const collector = z
  .url({ protocol: /^https?$/, error: 'has to be a URL such as http://otel-collector:4318' })
  .optional();

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** OpenTelemetry's own variables, as far as Muster supports them. */
export const tracingEnvironment = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.meta({
    description: 'Address of the collector of [traces](../tracing.md); `/v1/traces` is added',
    usual: 'tracing is off',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.meta({
    description: 'Full address of the collector; takes precedence',
    usual: 'by the one before',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: pairs
    .refine((given) => Object.entries(given).every(([name, value]) => isHeader(name, value)), {
      error: 'has to be names and values of headers',
    })
    .optional()
    .describe('Headers of requests with spans, as `name=value`, separated by commas, percent-encoded'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal('http/json', "has to be 'http/json', which every receiver of OTLP over HTTP takes")
    .default('http/json')
    .describe('The only supported protocol'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers)
    .default('parentbased_traceidratio')
    .describe(
      'Without `parentbased`, the sampling flag of callers is ignored; `always_on` is a share of 1, `always_off` of 0',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.01)
    .describe('Share of batches and jobs that is recorded; the same for all processes'),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255)
    .optional()
    .meta({ description: 'Service name in each span', usual: '`muster-<service>`' }),
  OTEL_RESOURCE_ATTRIBUTES: pairs
    .optional()
    .describe('Further attributes of each span, as `name=value`, separated by commas, percent-encoded'),
  OTEL_SDK_DISABLED: z
    .enum(['true', 'false'], "has to be 'true' or 'false'")
    .default('false')
    .describe('`true` turns tracing off'),
});

function isHeader(name: string, value: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value);
}

export interface TracingSettings {
  /** URL that receives spans, including the path. */
  endpoint: URL;
  /** Alternating names and values. */
  headers: readonly string[];
  /** Resource attributes of this process, sent with each span. */
  resource: Readonly<Record<string, string>>;
  /** Share of recorded traces among those that begin here, from 0 to 1. */
  share: number;
  /** True if a caller's sampling decision applies to its traces. */
  followsCallers: boolean;
}

/**
 * Returns null if tracing is off, because no endpoint is set.
 * @param own resource attributes of the process, unless a variable overrides them
 */
export function tracingSettingsOf(
  read: z.output<typeof tracingEnvironment>,
  own: { name: string; version: string; instance: string },
): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTraces } = read;
  const sampler = read.OTEL_TRACES_SAMPLER;
  const url = ofTraces ?? (base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/traces`);
  if (url === undefined || read.OTEL_SDK_DISABLED === 'true') return null;
  return {
    endpoint: new URL(url),
    headers: Object.entries(read.OTEL_EXPORTER_OTLP_HEADERS ?? {}).flat(),
    resource: {
      'service.name': own.name,
      'service.version': own.version,
      'service.instance.id': own.instance,
      ...read.OTEL_RESOURCE_ATTRIBUTES,
      ...(read.OTEL_SERVICE_NAME !== undefined && { 'service.name': read.OTEL_SERVICE_NAME }),
    },
    share: sampler.endsWith('traceidratio') ? read.OTEL_TRACES_SAMPLER_ARG : sampler.endsWith('always_on') ? 1 : 0,
    followsCallers: sampler.startsWith('parentbased'),
  };
}
