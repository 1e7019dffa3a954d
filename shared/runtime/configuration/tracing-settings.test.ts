import { describe, expect, it } from 'vitest';
import { processEnvironment, readEnvironment } from './environment.ts';
import { tracingSettingsOf } from './tracing-settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const ofProcess = { name: 'muster-worker', version: '1.2.3', instance: 'host/17' };

function settingsOf(environment: NodeJS.ProcessEnv) {
  return tracingSettingsOf(readEnvironment(processEnvironment, environment), ofProcess);
}

describe('the tracing settings', () => {
  it.each([{}, { OTEL_TRACES_SAMPLER_ARG: '1' }, { ...endpoint, OTEL_SDK_DISABLED: 'true' }])(
    'are null without a collector and if tracing is disabled: %j',
    (environment) => {
      expect(settingsOf(environment)).toBeNull();
    },
  );

  it('sample 1 % of traces by default and follow the sampling decision of callers', () => {
    const settings = settingsOf(endpoint);
    expect(settings).toMatchObject({ share: 0.01, followsCallers: true, headers: [] });
    expect(settings?.endpoint.href).toBe('http://collector:4318/v1/traces');
    expect(settings?.resource).toEqual({
      'service.name': 'muster-worker',
      'service.version': '1.2.3',
      'service.instance.id': 'host/17',
    });
  });

  it.each([
    ['always_on', { share: 1, followsCallers: false }],
    ['always_off', { share: 0, followsCallers: false }],
    ['traceidratio', { share: 0.25, followsCallers: false }],
    ['parentbased_always_on', { share: 1, followsCallers: true }],
    ['parentbased_always_off', { share: 0, followsCallers: true }],
    ['parentbased_traceidratio', { share: 0.25, followsCallers: true }],
  ])('apply the sampler %s', (sampler, expected) => {
    const environment = { ...endpoint, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.25' };
    expect(settingsOf(environment)).toMatchObject(expected);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/otlp/' }, 'http://collector:4318/otlp/v1/traces'],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://tempo/spans' }, 'https://tempo/spans'],
  ])('use the endpoint of the traces: %j', (environment, href) => {
    expect(settingsOf(environment)?.endpoint.href).toBe(href);
  });

  it('hold the configured headers and resource attributes, and OTEL_SERVICE_NAME as the name', () => {
    const settings = settingsOf({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-scope-orgid=muster',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod,service.name=other',
      OTEL_SERVICE_NAME: 'campaigns',
    });
    expect(settings?.headers).toEqual(['authorization', 'Bearer abc', 'x-scope-orgid', 'muster']);
    expect(settings?.resource).toMatchObject({ 'deployment.environment.name': 'prod', 'service.name': 'campaigns' });
  });

  it.each([
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
      /^OTEL_EXPORTER_OTLP_ENDPOINT has to be a URL such as .*, not "/,
    ],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /^OTEL_EXPORTER_OTLP_PROTOCOL has to be 'http\/json'.*, not "grpc"$/],
    [{ OTEL_TRACES_SAMPLER: 'sometimes' }, /^OTEL_TRACES_SAMPLER has to be .*, not "sometimes"$/],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, /^OTEL_TRACES_SAMPLER_ARG has to be at most 1, not "2"$/],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'alone' }, /^OTEL_RESOURCE_ATTRIBUTES has to be key=value.*, not "alone"$/],
    // A secret is not printed.
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, /^OTEL_EXPORTER_OTLP_HEADERS has to be key=value.*, not a text of 6/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=%0d%0ab' }, /^OTEL_EXPORTER_OTLP_HEADERS has to be names and values of headers/],
  ])('are refused with the name and value of the wrong variable: %j', (environment, message) => {
    expect(() => settingsOf({ ...endpoint, ...environment })).toThrow(message);
  });
});
